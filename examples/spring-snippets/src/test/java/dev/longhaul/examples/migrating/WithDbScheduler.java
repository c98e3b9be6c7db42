package dev.longhaul.examples.migrating;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.FailureHandler.ExponentialBackoffFailureHandler;
import com.github.kagkarlsson.scheduler.task.FailureHandler.MaxRetriesFailureHandler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.CronSchedule;
import java.io.Serializable;
import java.time.Instant;
import java.time.ZoneId;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

/** The jobs of the guide with db-scheduler; compiled, not run. */
final class WithDbScheduler {
    private WithDbScheduler() {}

    record Invoice(long order) implements Serializable {}

    static final TaskDescriptor<Invoice> SEND_INVOICE = TaskDescriptor.of("invoice-send", Invoice.class);

    @Configuration
    static class Jobs {
        // region jobs
        @Bean
        Task<Invoice> sendInvoice(Mailing mailing) {
            return Tasks.oneTime(SEND_INVOICE)
                    .onFailure(new MaxRetriesFailureHandler<>(
                            5, new ExponentialBackoffFailureHandler<Invoice>(ofSeconds(10))))
                    .execute((task, context) ->
                            mailing.sendInvoice(task.getData().order()));
        }

        @Bean
        Task<Void> sendReport(Mailing mailing) {
            return Tasks.recurring("report", new CronSchedule("0 0 2 * * *", ZoneId.of("Europe/Berlin")))
                    .execute((task, context) -> mailing.sendReport());
        }
        // endregion
    }

    @Component
    static class Checkout {
        private final SchedulerClient scheduler;

        Checkout(SchedulerClient scheduler) {
            this.scheduler = scheduler;
        }

        // region enqueue
        void pay(long order) {
            scheduler.scheduleIfNotExists(SEND_INVOICE
                    .instance("pay-" + order)
                    .data(new Invoice(order))
                    .scheduledTo(Instant.now()));
        }

        void remind(long order) {
            scheduler.scheduleIfNotExists(SEND_INVOICE
                    .instance("remind-" + order)
                    .data(new Invoice(order))
                    .scheduledTo(Instant.now().plus(ofHours(24))));
        }
        // endregion
    }
}
