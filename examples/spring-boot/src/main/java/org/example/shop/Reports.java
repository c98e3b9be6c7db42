package org.example.shop;

import dev.longhaul.spring.LonghaulJob;
import dev.longhaul.spring.LonghaulSchedule;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Counts the orders of the last day, every night. */
@Component
class Reports {
    private final JdbcClient jdbc;

    Reports(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    // region report
    record Sales(String item, long orders) {}

    record Report(List<Sales> sales) {}

    @LonghaulJob(key = "report.nightly", queue = "reports", timeout = "10m")
    @LonghaulSchedule(cron = "${shop.report.cron:0 2 * * *}", zone = "Europe/Berlin")
    Report nightly() {
        List<Sales> sales = jdbc.sql("""
                        select item, count(*) as orders from orders
                        where placed_at > now() - interval '1 day' group by item order by item""").query(Sales.class).list();
        return new Report(sales);
    }
    // endregion
}
