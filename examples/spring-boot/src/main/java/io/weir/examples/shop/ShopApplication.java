package io.weir.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop whose limits are in {@code application.yaml}. Each instance that is started joins the others, and all count together. */
@SpringBootApplication
public class ShopApplication {

    /** Starts an instance. */
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}
