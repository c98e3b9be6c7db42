package dev.longhaul.examples.migrating;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.TriggerBuilder.newTrigger;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.TimeZone;
import org.quartz.Job;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

/** The jobs of the guide with Quartz; compiled, not run. */
final class WithQuartz {
    private WithQuartz() {}

    public static class SendInvoice implements Job {
        private final Mailing mailing;

        SendInvoice(Mailing mailing) {
            this.mailing = mailing;
        }

        // region job
        @Override
        public void execute(JobExecutionContext context) throws JobExecutionException {
            try {
                mailing.sendInvoice(context.getMergedJobDataMap().getLong("order"));
            } catch (RuntimeException e) {
                retry(context, e); // Quartz itself does not retry
            }
        }

        private static void retry(JobExecutionContext context, RuntimeException failure) throws JobExecutionException {
            JobDataMap data = context.getMergedJobDataMap();
            int retries = data.containsKey("retries") ? data.getInt("retries") : 0;
            if (retries == 5) {
                throw new JobExecutionException(failure);
            }
            Date next = Date.from(Instant.now().plus(ofSeconds(10L << retries)));
            try {
                context.getScheduler()
                        .scheduleJob(newTrigger()
                                .forJob(context.getJobDetail())
                                .usingJobData("retries", retries + 1)
                                .startAt(next)
                                .build());
            } catch (SchedulerException e) {
                throw new JobExecutionException(e);
            }
        }
        // endregion
    }

    public static class SendReport implements Job {
        private final Mailing mailing;

        SendReport(Mailing mailing) {
            this.mailing = mailing;
        }

        @Override
        public void execute(JobExecutionContext context) {
            mailing.sendReport();
        }
    }

    @Configuration
    static class Report {
        // region schedule
        @Bean
        JobDetail report() {
            return newJob(SendReport.class)
                    .withIdentity("report")
                    .storeDurably()
                    .build();
        }

        @Bean
        Trigger nightly(JobDetail report) {
            TimeZone zone = TimeZone.getTimeZone("Europe/Berlin");
            return newTrigger()
                    .forJob(report)
                    .withIdentity("report")
                    .withSchedule(cronSchedule("0 0 2 * * ?").inTimeZone(zone))
                    .build();
        }
        // endregion
    }

    @Component
    static class Checkout {
        private final Scheduler scheduler;

        Checkout(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        // region enqueue
        void pay(long order) throws SchedulerException {
            send("pay-" + order, order, Duration.ZERO);
        }

        void remind(long order) throws SchedulerException {
            send("remind-" + order, order, ofHours(24));
        }

        private void send(String name, long order, Duration delay) throws SchedulerException {
            JobDetail job = newJob(SendInvoice.class)
                    .withIdentity(name)
                    .usingJobData("order", order)
                    .requestRecovery()
                    .build();
            scheduler.scheduleJob(
                    job,
                    newTrigger().startAt(Date.from(Instant.now().plus(delay))).build());
        }
        // endregion
    }
}
