package io.weir.examples.shop;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api")
class ShopController {

    private final Reports reports;

    ShopController(Reports reports) {
        this.reports = reports;
    }

    @GetMapping("/products")
    List<String> products() {
        return List.of("lamp", "table", "chair");
    }

    @PostMapping("/reports/{pages}")
    String report(@RequestHeader("X-Customer") String customer, @PathVariable("pages") int pages) {
        return reports.write(customer, pages);
    }
}
