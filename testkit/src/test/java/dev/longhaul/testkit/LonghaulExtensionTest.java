package dev.longhaul.testkit;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobDefinition;
import dev.longhaul.NewSchedule;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LonghaulExtensionTest {
    record Greet(String name) {}

    record Greeting(String text) {}

    private final List<String> happened = new ArrayList<>();

    private final JobDefinition<Greet, Greeting> greet = JobDefinition.of("test.greet", Greet.class, Greeting.class)
            .onEnd((context, result) -> happened.add("hook"))
            .handler((params, context) -> {
                happened.add(params.name() + " in " + Thread.currentThread().getName());
                context.progress(50, "half");
                context.log().info("greeting {}", params.name());
                context.emit("greeted", params.name());
                return new Greeting(context.step("write", String.class, () -> "Hello, " + params.name()));
            });

    private final JobDefinition<Greet, Greeting> twice = JobDefinition.of("test.twice", Greet.class, Greeting.class)
            .handler((params, context) -> {
                if (context.attempt() == 1) {
                    throw new IllegalStateException("not yet, " + params.name());
                }
                return new Greeting("at last");
            });

    private final JobDefinition<Greet, Greeting> refuse = JobDefinition.of("test.refuse", Greet.class, Greeting.class)
            .handler((params, context) -> {
                throw context.giveUp("no recipient");
            });

    private final JobDefinition<Greet, Greeting> sleepy = JobDefinition.of("test.sleepy", Greet.class, Greeting.class)
            .handler((params, context) -> {
                throw context.snooze(ofSeconds(1));
            });

    @RegisterExtension
    final LonghaulExtension jobs = LonghaulExtension.with(greet, twice, refuse, sleepy);

    @Nested
    class Running {
        @Test
        void jobs_and_hooks_run_only_when_the_test_runs_them_in_its_thread() {
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"));
            jobs.assertThatJob(id).isQueued().hasAttempts(0);
            assertThat(happened).isEmpty();
            assertThat(jobs.runDue()).isEqualTo(1);
            assertThat(happened)
                    .containsExactly("Ann in " + Thread.currentThread().getName(), "hook");
        }

        @Test
        void follows_the_order_in_which_a_worker_claims_jobs() {
            jobs.longhaul().later(greet, new Greet("first"));
            jobs.longhaul().later(greet, new Greet("urgent"), options().priority(10));
            jobs.longhaul().later(greet, new Greet("last"), options().delay(ofHours(1)));
            jobs.runAll();
            assertThat(happened)
                    .filteredOn(what -> !what.equals("hook"))
                    .extracting(what -> what.split(" ")[0])
                    .containsExactly("urgent", "first", "last");
        }

        @Test
        void one_job_can_be_run_before_its_time() {
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"), options().delay(ofHours(1)));
            assertThat(jobs.run(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        }

        @Test
        void schedules_fire_when_the_clock_reaches_their_time() {
            jobs.longhaul().schedules().create(NewSchedule.of("hourly").every(ofHours(1)), greet, new Greet("Ann"));
            assertThat(jobs.runDue()).isZero();
            jobs.advance(ofHours(1));
            assertThat(jobs.runDue()).isEqualTo(1);
            assertThat(jobs.runDue()).isZero();
        }

        @Test
        void jobs_of_a_paused_queue_do_not_run() {
            jobs.longhaul().store().queues().pause("default", null, null);
            jobs.longhaul().later(greet, new Greet("Ann"));
            assertThat(jobs.runDue()).isZero();
        }

        @Test
        void hooks_of_a_job_that_never_ran_are_run_too() {
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"));
            jobs.longhaul().cancel(id);
            jobs.runDue();
            jobs.assertThatJob(id).isCancelled();
            assertThat(happened).containsExactly("hook");
        }

        @Test
        void jobs_without_an_end_are_reported() {
            jobs.longhaul().later(sleepy, new Greet("Ann"));
            assertThatThrownBy(jobs::runAll).isInstanceOf(AssertionError.class).hasMessageContaining("without end");
        }
    }

    @Nested
    class Clock {
        @Test
        void stops_until_it_is_advanced() {
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"), options().delay(ofMinutes(10)));
            jobs.assertThatJob(id).isScheduledIn(ofMinutes(10));
            assertThat(jobs.runDue()).isZero();
            jobs.advance(ofMinutes(10));
            assertThat(jobs.runDue()).isEqualTo(1);
            jobs.assertThatJob(id).hasSucceeded();
        }

        @Test
        void can_be_advanced_by_weeks() {
            jobs.advance(ofDays(30));
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"), options().delay(ofDays(30)));
            jobs.runAll();
            jobs.assertThatJob(id).hasSucceeded();
            assertThat(jobs.longhaul().now(greet, new Greet("Bob")).succeeded()).isTrue();
        }

        @Test
        void is_advanced_to_the_next_attempt() {
            JobId id = jobs.longhaul().later(twice, new Greet("Ann"));
            jobs.run(id);
            jobs.assertThatJob(id).hasAttempts(1).hasFailureMessageContaining("not yet, Ann");
            jobs.runAll();
            jobs.assertThatJob(id).hasAttempts(2).hasResult(new Greeting("at last"));
        }
    }

    @Nested
    class Asserting {
        @Test
        void everything_about_a_job_that_succeeded() {
            var options = options().queue("mail").priority(5).labels(Map.of("tenant", "acme"));
            JobId id = jobs.longhaul().later(greet, new Greet("Ann"), options);
            jobs.runAll();
            jobs.assertThatJob(id)
                    .hasSucceeded()
                    .hasResult(new Greeting("Hello, Ann"))
                    .hasAttempts(1)
                    .hasParams(new Greet("Ann"))
                    .hasQueue("mail")
                    .hasPriority(5)
                    .hasLabel("tenant", "acme")
                    .hasProgress(50, "half")
                    .hasSteps("write")
                    .hasLogged("greeting Ann")
                    .hasEmitted("greeted");
        }

        @Test
        void a_failure() {
            JobId id = jobs.longhaul().later(refuse, new Greet("Ann"));
            jobs.runAll();
            jobs.assertThatJob(id).hasFailedWith(Failure.GIVEN_UP).hasFailureMessageContaining("no recipient");
        }

        @Test
        void enqueued_params() {
            jobs.assertThatEnqueued(greet).isEmpty();
            jobs.longhaul().later(greet, new Greet("Ann"));
            jobs.assertThatEnqueued(greet).containsExactly(new Greet("Ann"));
            jobs.assertThatOnlyJob(greet).isQueued();
            jobs.longhaul().later(greet, new Greet("Bob"));
            jobs.assertThatEnqueued(greet).containsExactly(new Greet("Ann"), new Greet("Bob"));
            jobs.assertThatEnqueued(refuse).isEmpty();
            assertThatThrownBy(() -> jobs.assertThatOnlyJob(greet)).hasMessageContaining("jobs of test.greet@1");
        }

        @Test
        void messages_name_the_job_its_status_and_its_failure() {
            JobId id = jobs.longhaul().later(refuse, new Greet("Ann"));
            jobs.runAll();
            assertThatThrownBy(() -> jobs.assertThatJob(id).hasSucceeded())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("test.refuse@1 " + id)
                    .hasMessageContaining("is failed (expected: succeeded); failure: given_up: no recipient");
            assertThatThrownBy(() -> jobs.assertThatJob(id).hasLogged("hello"))
                    .hasMessageContaining("log of test.refuse@1 " + id);
            assertThatThrownBy(() -> jobs.assertThatJob(JobId.next()).hasFailed())
                    .hasMessageContaining("job not found");
        }
    }

    @Test
    void outside_of_a_test_there_is_no_longhaul() {
        assertThatThrownBy(() -> LonghaulExtension.with(greet).longhaul())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@RegisterExtension");
    }
}
