package dev.longhaul.spring.slice;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.slice.Shop.Confirm;
import dev.longhaul.spring.slice.Shop.Confirmed;
import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Needs a database. */
@Service
class Orders {
    private final JdbcTemplate jdbc;
    private final JobClient<Confirm, Confirmed> confirmations;
    private final Longhaul longhaul;

    Orders(JdbcTemplate jdbc, JobClient<Confirm, Confirmed> confirmations, Longhaul longhaul) {
        this.jdbc = jdbc;
        this.confirmations = confirmations;
        this.longhaul = longhaul;
    }

    @Transactional
    public void place(String order, boolean fails) {
        confirmations.later(new Confirm(order));
        jdbc.queryForObject("select 1", Integer.class);
        if (fails) {
            throw new IllegalStateException("payment declined");
        }
    }

    /** As code that does not leave it to Longhaul to find the transaction. */
    public void placeOn(Connection connection, String order) throws SQLException {
        longhaul.later(connection, confirmations.definition(), new Confirm(order));
    }
}
