package org.example.shop;

import dev.longhaul.spring.JobClient;
import org.example.shop.Mails.Confirmation;
import org.example.shop.Mails.Sent;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Places orders. An order, its piece of the stock and its confirmation mail are committed together, or none of them. */
@Service
public class Orders {
    private final JdbcClient jdbc;
    private final JobClient<Confirmation, Sent> confirmations;

    public Orders(JdbcClient jdbc, JobClient<Confirmation, Sent> confirmations) {
        this.jdbc = jdbc;
        this.confirmations = confirmations;
    }

    // region place
    @Transactional
    public long place(String item, String email) {
        long order = jdbc.sql("insert into orders (item, email) values (?, ?) returning id")
                .params(item, email)
                .query(Long.class)
                .single();
        confirmations.later(new Confirmation(order, email, item)); // part of this transaction
        int taken = jdbc.sql("update items set stock = stock - 1 where name = ? and stock > 0")
                .param(item)
                .update();
        if (taken == 0) {
            throw new SoldOutException(item); // no order, and no mail
        }
        return order;
    }
    // endregion

    /** Nothing of the item is in stock. */
    @ResponseStatus(HttpStatus.CONFLICT)
    public static class SoldOutException extends RuntimeException {
        private static final long serialVersionUID = 1;

        SoldOutException(String item) {
            super("item " + item + " is sold out");
        }
    }
}
