package org.example.shop;

import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /orders} places an order. */
@RestController
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    record NewOrder(String item, String email) {}

    @PostMapping("/orders")
    ResponseEntity<Void> place(@RequestBody NewOrder order) {
        long id = orders.place(order.item(), order.email());
        return ResponseEntity.created(URI.create("/orders/" + id)).build();
    }
}
