package dev.longhaul.examples.migrating;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofHours;

import dev.longhaul.job.JobId;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.LonghaulJob;
import dev.longhaul.spring.LonghaulSchedule;
import java.time.Instant;
import org.springframework.stereotype.Component;

/** The jobs of the guide with Longhaul. */
public final class InvoiceJobs {
    private InvoiceJobs() {}

    record Invoice(long order) {}

    @Component
    static class Jobs {
        private final Mailing mailing;

        Jobs(Mailing mailing) {
            this.mailing = mailing;
        }

        // region jobs
        @LonghaulJob(key = "invoice.send", maxAttempts = 6, backoff = "10s")
        void sendInvoice(Invoice invoice) {
            mailing.sendInvoice(invoice.order());
        }

        @LonghaulJob(key = "report.nightly")
        @LonghaulSchedule(cron = "0 2 * * *", zone = "Europe/Berlin")
        void sendReport() {
            mailing.sendReport();
        }
        // endregion
    }

    @Component
    static class Checkout {
        private final JobClient<Invoice, Void> invoices;

        Checkout(JobClient<Invoice, Void> invoices) {
            this.invoices = invoices;
        }

        // region enqueue
        void pay(long order) {
            invoices.later(new Invoice(order));
        }

        void remind(long order) {
            invoices.later(new Invoice(order), options().delay(ofHours(24)));
        }
        // endregion
    }

    // region copy
    /** Copies a job that waits in the old system. Calling it twice creates one job. */
    static JobId copy(JobClient<Invoice, Void> invoices, String oldId, long order, Instant due) {
        return invoices.later(new Invoice(order), options().runAt(due).idempotencyKey("old/" + oldId));
    }
    // endregion
}
