package io.weir.examples.shop;

import io.weir.spring.RateLimited;
import org.springframework.stereotype.Service;

/** Writes reports, which cost as many permits as they have pages. */
@Service
class Reports {

    @RateLimited(limit = "pages", key = "#customer", permits = "#pages")
    String write(String customer, int pages) {
        return pages + " pages for " + customer;
    }
}
