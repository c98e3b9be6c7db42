package dev.longhaul.spring.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application under test. */
@SpringBootApplication
class Shop {
    record Confirm(String order) {}

    record Confirmed(String order, int attempt) {}
}
