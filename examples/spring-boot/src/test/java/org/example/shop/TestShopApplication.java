package org.example.shop;

import org.springframework.boot.SpringApplication;

/** Starts the shop with a PostgreSQL of its own: {@code mvn spring-boot:test-run}. */
class TestShopApplication {
    public static void main(String[] arguments) {
        SpringApplication.from(ShopApplication::main).with(LocalPostgres.class).run(arguments);
    }
}
