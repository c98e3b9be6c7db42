package dev.longhaul.examples.migrating;

import static java.time.temporal.ChronoUnit.HOURS;

import java.time.Instant;
import org.jobrunr.jobs.annotations.Job;
import org.jobrunr.jobs.annotations.Recurring;
import org.jobrunr.scheduling.JobScheduler;
import org.springframework.stereotype.Component;

/** The jobs of the guide with JobRunr; compiled, not run. */
final class WithJobRunr {
    private WithJobRunr() {}

    @Component
    public static class Jobs {
        private final Mailing mailing;

        Jobs(Mailing mailing) {
            this.mailing = mailing;
        }

        // region jobs
        @Job(name = "invoice of order %0", retries = 5)
        public void sendInvoice(long order) {
            mailing.sendInvoice(order);
        }

        @Recurring(id = "report", cron = "0 2 * * *", zoneId = "Europe/Berlin")
        public void sendReport() {
            mailing.sendReport();
        }
        // endregion
    }

    @Component
    static class Checkout {
        private final JobScheduler scheduler;

        Checkout(JobScheduler scheduler) {
            this.scheduler = scheduler;
        }

        // region enqueue
        void pay(long order) {
            scheduler.<Jobs>enqueue(jobs -> jobs.sendInvoice(order));
        }

        void remind(long order) {
            scheduler.<Jobs>schedule(Instant.now().plus(24, HOURS), jobs -> jobs.sendInvoice(order));
        }
        // endregion
    }
}
