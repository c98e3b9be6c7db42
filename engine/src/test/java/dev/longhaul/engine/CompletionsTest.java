package dev.longhaul.engine;

import static dev.longhaul.engine.run.Workbench.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Report;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Step;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private final Workbench bench = new Workbench();
    private final LinkedBlockingQueue<LiveRun> notified = new LinkedBlockingQueue<>();
    private final Completions completions = completions();

    /** The runs of the next notifications, which come after their runs are settled. */
    private List<LiveRun> notified(int count) throws InterruptedException {
        var runs = new ArrayList<LiveRun>();
        while (runs.size() < count) {
            runs.add(Objects.requireNonNull(notified.poll(10, TimeUnit.SECONDS), "no notification"));
        }
        return runs;
    }

    private Completions completions() {
        return new Completions(bench.store, bench.live, bench.reports, (run, transition) -> notified.add(run));
    }

    @AfterEach
    void close() {
        completions.close();
    }

    @Nested
    class Ends {
        @Test
        void are_stored_together_before_listeners_are_notified() throws Exception {
            List<LiveRun> runs = bench.claimed(3);
            runs.forEach(CompletionsTest.this::succeed);
            completions.start();
            for (LiveRun run : runs) {
                assertThat(soon(run.settled())).matches(Verdict::won);
                assertThat(status(run)).isEqualTo(JobStatus.SUCCEEDED);
            }
            completions.close();
            assertThat(bench.faults.calls("apply")).isEqualTo(1);
            assertThat(notified(3)).containsExactlyElementsOf(runs);
            assertThat(bench.live.all()).isEmpty();
        }

        @Test
        void wait_until_the_database_is_there() throws Exception {
            LiveRun run = bench.claimed();
            bench.faults.next("apply", FaultyStore.unavailable()).next("apply", FaultyStore.unavailable());
            succeed(run);
            completions.start();
            assertThat(soon(run.settled())).matches(Verdict::won);
            assertThat(bench.faults.calls("apply")).isEqualTo(3);
        }

        @Test
        void of_a_locked_job_hold_up_no_other_and_are_stored_later() throws Exception {
            List<LiveRun> runs = bench.claimed(3);
            LiveRun locked = runs.get(1);
            var released = new AtomicBoolean();
            bench.faults.always("apply", call -> {
                List<Transition> ends = transitions(call);
                if (released.get() || ends.stream().noneMatch(end -> end.claim().equals(locked.claim()))) {
                    return call.goOn();
                }
                List<Transition> others = ends.stream()
                        .filter(end -> !end.claim().equals(locked.claim()))
                        .toList();
                var written = bench.source.apply(others).iterator();
                return ends.stream()
                        .map(end -> end.claim().equals(locked.claim()) ? Verdict.LOCKED : written.next())
                        .toList();
            });
            runs.forEach(CompletionsTest.this::succeed);
            completions.start();
            assertThat(soon(runs.get(0).settled())).matches(Verdict::won);
            assertThat(soon(runs.get(2).settled())).matches(Verdict::won);
            LiveRun later = bench.claimed();
            succeed(later);
            assertThat(soon(later.settled())).matches(Verdict::won);
            assertThat(locked.settled()).isNotDone();
            released.set(true);
            assertThat(soon(locked.settled())).matches(Verdict::won);
            assertThat(status(locked)).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(notified(4)).containsExactlyInAnyOrder(runs.get(0), runs.get(2), later, locked);
        }

        @Test
        void only_the_one_that_no_store_takes_suffers() throws Exception {
            List<LiveRun> runs = bench.claimed(3);
            LiveRun culprit = runs.get(1);
            bench.faults.always("apply", call -> {
                if (transitions(call).contains(Transition.succeed(culprit.claim(), "{}"))) {
                    throw new IllegalStateException("planted");
                }
                return call.goOn();
            });
            runs.forEach(CompletionsTest.this::succeed);
            completions.start();
            for (LiveRun run : runs) {
                assertThat(soon(run.settled())).matches(Verdict::won);
            }
            assertThat(status(runs.get(0))).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(status(runs.get(2))).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(status(culprit)).isEqualTo(JobStatus.FAILED);
            assertThat(Objects.requireNonNull(bench.job(culprit).failure()).code())
                    .isEqualTo(Failure.UNSTORABLE_RESULT);
        }

        @Test
        void a_cancel_whose_request_was_withdrawn_gives_the_job_back() throws Exception {
            LiveRun run = bench.claimed();
            completions.start();
            end(run, Transition.cancelled(run.claim()));
            assertThat(soon(run.settled())).matches(Verdict::won);
            assertThat(status(run)).isEqualTo(JobStatus.QUEUED);
        }

        @Test
        void of_a_lost_run_are_not_stored() throws Exception {
            LiveRun run = bench.claimed();
            run.lose();
            completions.start();
            succeed(run);
            assertThat(soon(run.settled())).isEqualTo(Verdict.LOST);
            assertThat(status(run)).isEqualTo(JobStatus.RUNNING);
        }

        @Test
        void of_a_lost_lease_are_discarded_without_notifying_listeners() throws Exception {
            LiveRun run = bench.claimed();
            bench.steal(run);
            completions.start();
            succeed(run);
            assertThat(soon(run.settled())).isEqualTo(Verdict.LOST);
            completions.close();
            assertThat(notified).isEmpty();
        }

        @Test
        void are_stored_although_a_listener_throws() throws Exception {
            var failing = new Completions(bench.store, bench.live, bench.reports, (run, transition) -> {
                throw new NoClassDefFoundError("planted");
            });
            failing.start();
            for (LiveRun run : bench.claimed(3)) {
                run.end();
                failing.add(run, Transition.succeed(run.claim(), "{}"));
                assertThat(soon(run.settled())).matches(Verdict::won);
            }
            failing.close();
        }

        @Test
        void that_come_after_it_was_closed_are_lost_at_once() throws Exception {
            completions.start();
            completions.close();
            LiveRun run = bench.claimed();
            succeed(run);
            assertThat(soon(run.settled())).isEqualTo(Verdict.LOST);
        }

        @Test
        void that_the_database_is_not_there_for_are_given_up_in_time() throws Exception {
            bench.faults.always("apply", FaultyStore.unavailable());
            List<LiveRun> runs = bench.claimed(2);
            completions.start();
            succeed(runs.get(0));
            bench.awaitCalls("apply", 1);
            succeed(runs.get(1));
            completions.close(1);
            assertThat(soon(runs.get(0).settled()).won()).isFalse();
            assertThat(soon(runs.get(1).settled()).won()).isFalse();
        }
    }

    /** Errors thrown between taking ends and settling them. */
    @Nested
    class AnError {
        @Test
        void of_the_tracer_ends_nothing_and_settles_each_run_once() throws Exception {
            var settled = new ConcurrentLinkedQueue<Verdict>();
            List<LiveRun> runs = traced(3, verdict -> {
                settled.add(verdict);
                throw new NoClassDefFoundError("planted");
            });
            runs.forEach(CompletionsTest.this::succeed);
            completions.start();
            for (LiveRun run : runs) {
                assertThat(soon(run.settled())).matches(Verdict::won);
                assertThat(status(run)).isEqualTo(JobStatus.SUCCEEDED);
            }
            assertThat(settled).hasSize(3).allMatch(Verdict::won);
            LiveRun later = bench.claimed();
            succeed(later);
            assertThat(soon(later.settled())).as("a later end").matches(Verdict::won);
        }

        @Test
        void of_the_store_fails_no_job_that_succeeded() throws Exception {
            LiveRun run = bench.claimed();
            bench.faults.next("apply", planted()).next("apply", planted()).next("apply", call -> {
                Object unheard = call.goOn();
                throw new OutOfMemoryError("planted after " + unheard);
            });
            succeed(run);
            completions.start();
            assertThat(soon(run.settled())).matches(Verdict::won);
            assertThat(status(run)).isEqualTo(JobStatus.SUCCEEDED);
            LiveRun later = bench.claimed();
            succeed(later);
            assertThat(soon(later.settled())).as("a later end").matches(Verdict::won);
        }

        @Test
        void that_one_write_always_causes_fails_only_its_job() throws Exception {
            List<LiveRun> runs = bench.claimed(3);
            LiveRun culprit = runs.get(1);
            bench.faults.always("apply", call -> {
                if (transitions(call).contains(Transition.succeed(culprit.claim(), "{}"))) {
                    throw new StackOverflowError("planted");
                }
                return call.goOn();
            });
            runs.forEach(CompletionsTest.this::succeed);
            completions.start();
            assertThat(soon(runs.get(0).settled())).matches(Verdict::won);
            assertThat(soon(runs.get(2).settled())).matches(Verdict::won);
            assertThat(soon(culprit.settled())).matches(Verdict::won);
            assertThat(Objects.requireNonNull(bench.job(culprit).failure()).code())
                    .isEqualTo(Failure.UNSTORABLE_RESULT);
        }

        @Test
        void while_reports_are_stored_loses_none_and_blocks_no_caller() throws Exception {
            LiveRun run = bench.claimed();
            bench.faults.next("save", planted()).next("save", planted());
            completions.start();
            assertThat(soon(step(run, "first"))).matches(Verdict::won);
            assertThat(soon(step(run, "second"))).matches(Verdict::won);
            assertThat(bench.source.steps(run.claim().jobId())).hasSize(2);
        }

        @Test
        void shows_in_the_health_while_it_lasts() throws Exception {
            var broken = new AtomicBoolean(true);
            bench.faults.always("apply", call -> {
                if (broken.get()) {
                    throw new NoClassDefFoundError("planted");
                }
                return call.goOn();
            });
            LiveRun run = bench.claimed();
            succeed(run);
            completions.start();
            Workbench.await(
                    "completions are reported as failing",
                    () -> Loops.down().contains("completions: failing (java.lang.NoClassDefFoundError)"));
            broken.set(false);
            assertThat(soon(run.settled())).matches(Verdict::won);
            Workbench.await("completions work again", () -> Loops.down().isEmpty());
        }

        @Test
        void is_not_needed_to_survive_an_interrupt_by_foreign_code() throws Exception {
            List<LiveRun> runs = traced(1, verdict -> Thread.currentThread().interrupt());
            succeed(runs.get(0));
            completions.start();
            assertThat(soon(runs.get(0).settled())).matches(Verdict::won);
            LiveRun later = bench.claimed();
            succeed(later);
            assertThat(soon(later.settled())).as("a later end").matches(Verdict::won);
        }

        private FaultyStore.Fault planted() {
            return call -> {
                throw new OutOfMemoryError("planted");
            };
        }

        private List<LiveRun> traced(int jobs, Consumer<Verdict> settled) {
            List<JobSpec> specs = Stream.generate(
                            () -> JobSpec.of(Workbench.NOTHING.ref(), "{}").build())
                    .limit(jobs)
                    .toList();
            return bench.claimed(specs, Workbench.NOTHING, (claimed, claiming) -> new RunTracing.RunTrace() {
                @Override
                public @Nullable String traceparent() {
                    return null;
                }

                @Override
                public Outcome execute(Supplier<Outcome> code) {
                    return code.get();
                }

                @Override
                public void settled(Verdict verdict) {
                    settled.accept(verdict);
                }
            });
        }
    }

    @Nested
    class GivingBack {
        @Test
        void never_waits_for_room_while_the_database_is_unavailable() throws Exception {
            bench.faults.always("apply", FaultyStore.unavailable());
            completions.start();
            List<LiveRun> runs = bench.claimed(5000);
            var closing = CompletableFuture.runAsync(() -> {
                runs.forEach(completions::giveBack);
                completions.close(1);
            });
            soon(closing);
            for (LiveRun run : runs) {
                assertThat(soon(run.settled()).won()).isFalse();
            }
        }
    }

    @Nested
    class OfReports {
        @Test
        void a_step_is_stored_at_once() throws Exception {
            LiveRun run = bench.claimed();
            completions.start();
            int steps = 20;
            long start = System.nanoTime();
            for (int i = 0; i < steps; i++) {
                assertThat(soon(step(run, "step-" + i))).matches(Verdict::won);
            }
            assertThat(System.nanoTime() - start).isLessThan(steps * Report.Pending.GATHER / 2);
            assertThat(bench.source.steps(run.claim().jobId())).hasSize(steps);
        }

        @Test
        void reports_of_a_run_are_stored_before_its_end() throws Exception {
            LiveRun run = bench.claimed();
            run.context().log().info("the last words");
            succeed(run);
            completions.start();
            assertThat(soon(run.settled())).matches(Verdict::won);
            assertThat(bench.faults.calls()).containsSubsequence("save", "apply");
        }

        @Test
        void only_the_one_that_no_store_takes_suffers() throws Exception {
            List<LiveRun> runs = bench.claimed(3);
            LiveRun culprit = runs.get(1);
            bench.faults.always("save", call -> {
                if (updates(call).stream().anyMatch(update -> update.claim().equals(culprit.claim()))) {
                    throw new IllegalStateException("planted");
                }
                return call.goOn();
            });
            var stored = runs.stream().map(run -> step(run, "step")).toList();
            completions.start();
            assertThat(soon(stored.get(0))).matches(Verdict::won);
            assertThat(soon(stored.get(1)).kind()).isEqualTo(Verdict.Kind.REFUSED);
            assertThat(soon(stored.get(2))).matches(Verdict::won);
        }

        @Test
        void of_a_lost_run_are_not_stored() throws Exception {
            LiveRun lost = bench.claimed();
            var waiting = step(lost, "step");
            lost.lose();
            assertThat(soon(waiting)).isEqualTo(Verdict.LOST);
            var other = step(bench.claimed(), "step");
            completions.start();
            assertThat(soon(other)).matches(Verdict::won);
            assertThat(bench.source.steps(lost.claim().jobId())).isEmpty();
        }
    }

    private CompletableFuture<Verdict> step(LiveRun run, String name) {
        CompletableFuture<Verdict> stored = run.report().step(new Step(name, "1"));
        bench.reports.now(run);
        return stored.orTimeout(Workbench.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void succeed(LiveRun run) {
        end(run, Transition.succeed(run.claim(), "{}"));
    }

    private void end(LiveRun run, Transition transition) {
        run.end();
        completions.add(run, transition);
    }

    private JobStatus status(LiveRun run) {
        return bench.job(run).status();
    }

    @SuppressWarnings("unchecked")
    private static List<Transition> transitions(FaultyStore.Call call) {
        return (List<Transition>) call.argument();
    }

    @SuppressWarnings("unchecked")
    private static List<RunUpdate> updates(FaultyStore.Call call) {
        return (List<RunUpdate>) call.argument();
    }
}
