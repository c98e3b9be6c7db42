package org.example.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A small shop. Start with {@link Orders}, which enqueues, and {@link Mails}, which runs. */
@SpringBootApplication
public class ShopApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
