package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DeclaredJobsTest {
    record Welcome(String address) {}

    record Sent(String id, int attempt) {}

    record Night(String day) {}

    /** As Lombok compiles {@code @Data}. */
    public static class Changeable {
        private String day = "";

        public String getDay() {
            return day;
        }

        public void setDay(String day) {
            this.day = day;
        }
    }

    static class Changes {
        @LonghaulJob(key = "changeable")
        public String run(Changeable params) {
            return params.getDay();
        }
    }

    /** Enqueues and runs: it depends on the Longhaul that it has jobs for. */
    static class Mails {
        private final JobClient<Welcome, Sent> client;

        Mails(JobClient<Welcome, Sent> client, Longhaul longhaul) {
            this.client = client;
            assertThat(longhaul).isNotNull();
        }

        @LonghaulJob(
                key = "mail.send",
                version = 2,
                queue = "${mail.queue:mail}",
                timeout = "${mail.timeout:90s}",
                maxAttempts = 4,
                backoff = "2s",
                noRetryFor = IllegalArgumentException.class)
        public Sent send(Welcome welcome, JobContext context) {
            if (welcome.address().isEmpty()) {
                throw new IllegalArgumentException("no address");
            }
            return new Sent("to " + welcome.address(), context.attempt());
        }
    }

    static class Reports {
        @LonghaulJob(key = "report.nightly")
        @LonghaulSchedule(
                cron = "${report.cron}",
                zone = "Europe/Berlin",
                catchUp = CatchUp.Policy.ALL,
                overlap = Overlap.SKIP,
                params = "{\"day\": \"today\"}")
        public List<String> report(Night night) {
            return List.of(night.day());
        }

        @LonghaulJob(key = "report.clean")
        @LonghaulSchedule(every = "10m")
        public void clean() {}

        @LonghaulJob(key = "report.never")
        @LonghaulSchedule(cron = "-")
        public void never() {}
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TestContexts.jdbcAndLonghaul()))
                .withBean(Store.class, MemoryStore::new)
                .withPropertyValues(TestContexts.NO_DATA_SOURCE, "report.cron=0 3 * * *");
    }

    @Test
    void a_method_with_params_and_context_runs_and_returns_its_result() {
        runner().withBean(Mails.class).run(context -> {
            assertThat(context).hasNotFailed();
            Longhaul longhaul = context.getBean(Longhaul.class);
            JobClient<Welcome, Sent> client = context.getBean(Mails.class).client;

            Job job = TestContexts.ended(longhaul, client.definition(), client.later(new Welcome("ann@example.org")));

            assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(client.definition().result().read(String.valueOf(job.result())))
                    .isEqualTo(new Sent("to ann@example.org", 1));
        });
    }

    @Test
    void annotations_become_the_settings_of_the_definition() {
        runner().withBean(Mails.class).withPropertyValues("mail.timeout=2m").run(context -> {
            JobDefinition<?, ?> definition = TestContexts.definition(context.getBean(Longhaul.class), "mail.send");
            assertThat(definition.ref().version()).isEqualTo(2);
            assertThat(definition.queue()).isEqualTo("mail");
            assertThat(definition.timeout()).isEqualTo(Duration.ofMinutes(2));
            assertThat(definition.maxAttempts()).isEqualTo(4);
            assertThat(definition.retry().backoff().initial()).isEqualTo(Duration.ofSeconds(2));
            assertThat(definition.isolation()).isEqualTo(Isolation.thread());
        });
    }

    @Test
    void an_exception_of_the_method_is_the_jobs_failure() {
        runner().withBean(Mails.class).run(context -> {
            Longhaul longhaul = context.getBean(Longhaul.class);
            var client = context.getBean(Mails.class).client;
            Job job = TestContexts.ended(longhaul, client.definition(), client.later(new Welcome("")));
            assertThat(job.status()).isEqualTo(JobStatus.FAILED);
            assertThat(job.failure()).extracting(Failure::message).isEqualTo("no address");
            assertThat(job.tally().attempts()).isEqualTo(1);
        });
    }

    @Test
    void schedules_are_stored_with_their_placeholders_replaced() {
        runner().withBean(Reports.class).run(context -> {
            assertThat(context).hasNotFailed();
            Longhaul longhaul = context.getBean(Longhaul.class);
            Schedule nightly = longhaul.schedules().find("report.nightly").orElseThrow();
            assertThat(nightly.spec().timetable().timing().toString()).contains("0 3 * * *", "Europe/Berlin");
            assertThat(nightly.spec().catchUp().policy()).isEqualTo(CatchUp.Policy.ALL);
            assertThat(nightly.spec().overlap()).isEqualTo(Overlap.SKIP);
            assertThat(longhaul.schedules().find("report.clean")).isPresent();
            assertThat(longhaul.schedules().find("report.never")).isEmpty();
        });
    }

    @Test
    void a_result_may_have_type_arguments() {
        runner().withBean(Reports.class).run(context -> {
            Longhaul longhaul = context.getBean(Longhaul.class);
            var id = longhaul.later("report.nightly", new Night("monday"));
            Job job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "report.nightly"), id);
            assertThat(job.result()).isEqualTo("[\"monday\"]");
        });
    }

    @Test
    void params_may_be_a_class_with_getters_and_setters() {
        runner().withBean(Changes.class).run(context -> {
            assertThat(context).hasNotFailed();
            Longhaul longhaul = context.getBean(Longhaul.class);
            var params = new Changeable();
            params.setDay("monday");
            var id = longhaul.later("changeable", params);
            Job job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "changeable"), id);
            assertThat(job.result()).isEqualTo("\"monday\"");
        });
    }

    @Nested
    class Refusals {
        static class Lone {
            @LonghaulSchedule(cron = "* * * * *")
            public void tick() {}
        }

        /** As Lombok compiles {@code @Value}. */
        public static final class Fixed {
            private final String day;
            private final int hour;

            public Fixed(String day, int hour) {
                this.day = day;
                this.hour = hour;
            }

            public int getHour() {
                return hour;
            }

            public String getDay() {
                return day;
            }
        }

        static class Unreadable {
            @LonghaulJob(key = "unreadable")
            public void run(Fixed fixed) {}
        }

        static class TwoParams {
            @LonghaulJob(key = "two")
            public void run(Night one, Welcome two) {}
        }

        static class Hidden {
            @SuppressWarnings("UnusedMethod")
            @LonghaulJob(key = "hidden")
            private String run(Night one) {
                return one.day();
            }
        }

        static class Later {
            @LonghaulJob(key = "later")
            public CompletableFuture<String> run(Night one) {
                return CompletableFuture.completedFuture(one.day());
            }
        }

        static class BadCron {
            @LonghaulJob(key = "bad.cron")
            @LonghaulSchedule(cron = "every day")
            public void run() {}
        }

        static class NoSuchClient {
            NoSuchClient(JobClient<Night, Integer> client) {}
        }

        static class BadKey {
            @LonghaulJob(key = "no spaces")
            public void run() {}
        }

        private static void refused(ApplicationContextRunner runner, String... parts) {
            runner.run(context -> {
                assertThat(context).hasFailed();
                assertThat(context.getStartupFailure()).hasStackTraceContaining(parts[0]);
                for (String part : parts) {
                    assertThat(context.getStartupFailure()).hasStackTraceContaining(part);
                }
            });
        }

        @Test
        void a_schedule_without_a_job() {
            refused(runner().withBean("lone", Lone.class), "bean 'lone'", "Lone.tick", "not a job");
        }

        @Test
        void params_that_cannot_be_read() {
            refused(
                    runner().withBean("jobs", Unreadable.class),
                    "bean 'jobs'",
                    "Unreadable.run",
                    "Fixed (expected: a class that can be read from JSON)");
        }

        @Test
        void two_params() {
            refused(runner().withBean("two", TwoParams.class), "bean 'two'", "TwoParams.run", "parameter 2");
        }

        @Test
        void a_private_method() {
            refused(runner().withBean("hidden", Hidden.class), "bean 'hidden'", "Hidden.run", "it is private");
        }

        @Test
        void a_future_as_the_result() {
            refused(runner().withBean("later", Later.class), "bean 'later'", "Later.run", "CompletableFuture");
        }

        @Test
        void a_malformed_cron_expression() {
            refused(runner().withBean("bad", BadCron.class), "bean 'bad'", "BadCron.run", "every day");
        }

        @Test
        void a_malformed_key() {
            refused(runner().withBean("bad", BadKey.class), "bean 'bad'", "BadKey.run", "no spaces");
        }

        @Test
        void a_client_without_a_definition() {
            refused(runner().withBean(NoSuchClient.class), "NoSuchClient", "0 definitions");
        }

        @Test
        void a_key_of_a_bean_and_a_method() {
            JobDefinition<Night, Void> same =
                    JobDefinition.of("report.clean", Night.class, Void.class).handler((params, context) -> null);
            refused(
                    runner().withBean("reports", Reports.class).withBean("same", JobDefinition.class, () -> same),
                    "report.clean@1 is declared twice",
                    "bean 'same'",
                    "Reports.clean");
        }
    }
}
