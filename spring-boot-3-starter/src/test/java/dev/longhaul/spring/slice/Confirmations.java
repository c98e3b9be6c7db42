package dev.longhaul.spring.slice;

import dev.longhaul.JobContext;
import dev.longhaul.spring.LonghaulJob;
import dev.longhaul.spring.LonghaulSchedule;
import dev.longhaul.spring.slice.Shop.Confirm;
import dev.longhaul.spring.slice.Shop.Confirmed;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
class Confirmations {
    final List<String> sent = new ArrayList<>();
    boolean down;

    @LonghaulJob(key = "order.confirm")
    Confirmed confirm(Confirm confirm, JobContext context) {
        if (down) {
            throw new IllegalStateException("mail server is down");
        }
        sent.add(confirm.order());
        return new Confirmed(confirm.order(), context.attempt());
    }

    @LonghaulJob(key = "order.report")
    @LonghaulSchedule(cron = "0 3 * * *")
    void report() {
        sent.add("report");
    }
}
