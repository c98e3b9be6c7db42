package dev.longhaul;

import static dev.longhaul.schedule.Timing.cron;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.usecase.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Schedules in the library's API, on each store. */
abstract class SchedulesContract {
    record Report(String kind, int pages) {}

    private static final String REPORT = "{\"kind\": \"daily\", \"pages\": 3}";

    final LinkedBlockingQueue<Report> ran = new LinkedBlockingQueue<>();
    private final Queue<Longhaul> open = new ConcurrentLinkedQueue<>();

    /** A builder on the test's store; every call uses the same store. */
    abstract LonghaulBuilder builder();

    JobDefinition.Builder<Report, Void> reports() {
        return JobDefinition.of("report", Report.class, Void.class);
    }

    JobDefinition<Report, Void> complete(JobDefinition.Builder<Report, Void> builder) {
        return builder.handler((params, context) -> {
            ran.add(params);
            return null;
        });
    }

    Longhaul start(JobDefinition<?, ?>... definitions) {
        return opened(builder().register(definitions).lease(ofSeconds(3)).drain(ofSeconds(1)));
    }

    Longhaul opened(LonghaulBuilder builder) {
        Longhaul longhaul = builder.start();
        open.add(longhaul);
        return longhaul;
    }

    @AfterEach
    void close() {
        open.forEach(Longhaul::close);
    }

    @Nested
    class InTime {
        @Test
        void a_schedule_in_code_creates_a_job_every_second() throws InterruptedException {
            Longhaul longhaul = start(complete(reports().schedule(cron("* * * * * *"), new Report("each second", 1))));
            for (int i = 0; i < 3; i++) {
                assertThat(ran.poll(10, TimeUnit.SECONDS)).isEqualTo(new Report("each second", 1));
            }
            longhaul.schedules().pause("report", "anna", "enough");
            List<PastFire> fires = longhaul.schedules().fires("report", null, 100);
            assertThat(fires).hasSizeGreaterThanOrEqualTo(3);
            Set<Instant> times =
                    fires.stream().map(past -> past.fire().fireAt()).collect(Collectors.toSet());
            assertThat(times).hasSize(fires.size());
            for (PastFire past : fires) {
                Job job = Objects.requireNonNull(past.job());
                assertThat(job.spec().schedule())
                        .isEqualTo(new ScheduleFire("report", past.fire().fireAt()));
                assertThat(Duration.between(past.fire().fireAt(), past.fire().firedAt()))
                        .as("how late it fired")
                        .isLessThan(ofSeconds(2));
            }
        }

        @Test
        void one_that_another_process_creates_does_not_wait_for_the_leaders_next_poll() throws InterruptedException {
            JobDefinition<Report, Void> definition = complete(reports());
            start(definition);
            Longhaul elsewhere = opened(builder().register(definition).enqueueOnly());
            // Without a wake-up each would be up to five seconds late.
            for (String key : List.of("a", "b", "c", "d")) {
                Instant soon = elsewhere.store().now().plusSeconds(1);
                elsewhere.schedules().create(NewSchedule.of(key, Timing.at(soon)), definition, new Report(key, 1));
                assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo(new Report(key, 1));
                Fire fire = elsewhere.schedules().fires(key, null, 1).get(0).fire();
                assertThat(Duration.between(soon, fire.firedAt())).isLessThan(ofSeconds(2));
            }
        }

        @Test
        void a_period_is_counted_from_when_it_was_stored_and_ends_after_its_last_run() throws InterruptedException {
            JobDefinition<Report, Void> definition = complete(reports());
            start(definition);
            Longhaul elsewhere = opened(builder().register(definition).enqueueOnly());
            Schedule schedule = elsewhere
                    .schedules()
                    .create(NewSchedule.of("often").every(ofSeconds(1)).maxRuns(2), definition, new Report("x", 2));
            assertThat(ran.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(ran.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(ran.poll(2, TimeUnit.SECONDS)).as("only two runs").isNull();
            assertThat(elsewhere.schedules().get("often").nextRunAt()).isNull();
            List<PastFire> fires = elsewhere.schedules().fires("often", null, 10);
            Instant first = Objects.requireNonNull(schedule.nextRunAt());
            assertThat(fires.stream().map(past -> past.fire().fireAt())).containsExactly(first.plusSeconds(1), first);
        }

        @Test
        @Tag("full")
        void a_job_longer_than_its_interval_is_queued_once() throws InterruptedException {
            var running = new LinkedBlockingQueue<Instant>();
            var mostAtOnce = new AtomicInteger();
            var atOnce = new AtomicInteger();
            JobDefinition<Report, Void> slow = reports()
                    .schedule(NewSchedule.of("slow", cron("* * * * * *"))
                            .params(REPORT)
                            .overlap(Overlap.QUEUE_ONE))
                    .handler((params, context) -> {
                        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                        running.add(Instant.now());
                        Thread.sleep(2500);
                        atOnce.decrementAndGet();
                        return null;
                    });
            Longhaul longhaul = start(slow);
            assertThat(running.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(running.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(running.poll(10, TimeUnit.SECONDS)).isNotNull();
            longhaul.schedules().delete("slow");
            assertThat(mostAtOnce).hasValue(1);
        }
    }

    @Nested
    class InCode {
        @Test
        void a_start_creates_it_and_the_next_start_changes_it() {
            start(complete(reports().schedule(cron("0 3 * * *").zone("Europe/Berlin"), new Report("a", 1))))
                    .close();
            Longhaul longhaul =
                    start(complete(reports().schedule(cron("0 4 * * *").zone("Europe/Berlin"), new Report("b", 1))));
            Schedule schedule = longhaul.schedules().get("report");
            assertThat(schedule.spec().timetable().timing())
                    .isEqualTo(Cron.of("0 4 * * *").zone("Europe/Berlin"));
            assertThat(schedule.spec().job().params()).isEqualTo("{\"kind\":\"b\",\"pages\":1}");
            assertThat(longhaul.schedules().list(null, 10).schedules()).hasSize(1);
        }

        @Test
        void a_start_does_not_resume_a_schedule_that_an_operator_paused() {
            JobDefinition<Report, Void> hourly = complete(reports().schedule(cron("0 * * * *"), new Report("a", 1)));
            Longhaul first = start(hourly);
            first.schedules().pause("report", "anna", "month end");
            first.close();
            Schedule after = start(hourly).schedules().get("report");
            assertThat(after.enabled()).isFalse();
            assertThat(Objects.requireNonNull(after.pause()).note()).isEqualTo("month end");
            assertThat(after.nextRunAt()).isNull();
        }

        @Test
        void an_unchanged_period_continues_across_starts() {
            NewSchedule hourly =
                    NewSchedule.of("often").every(Duration.ofHours(1)).params(REPORT);
            Schedule before =
                    start(complete(reports().schedule(hourly))).schedules().get("often");
            assertThat(start(complete(reports().schedule(hourly))).schedules().get("often"))
                    .isEqualTo(before);
        }

        @Test
        void of_two_versions_the_higher_one_applies() {
            JobDefinition<Report, Void> one = complete(reports().schedule(cron("0 1 * * *"), new Report("a", 1)));
            JobDefinition<Report, Void> two =
                    complete(reports().version(2).schedule(cron("0 2 * * *"), new Report("a", 1)));
            Longhaul both = start(two, one);
            assertThat(both.schedules().get("report").spec().job().definition().version())
                    .isEqualTo(2);
            both.close();
            assertThat(start(one)
                            .schedules()
                            .get("report")
                            .spec()
                            .job()
                            .definition()
                            .version())
                    .as("an older process that starts again")
                    .isEqualTo(2);
        }

        @Test
        void params_that_do_not_fit_keep_it_from_starting() {
            var refusal = catchThrowableOfType(
                    LonghaulException.class, () -> start(complete(reports().schedule(cron("0 3 * * *")))));
            assertThat(refusal.getMessage()).contains("params.kind").contains("params.pages");
        }
    }

    @Nested
    class ByHand {
        @SuppressWarnings("NullAway.Init")
        private Schedules schedules;

        @BeforeEach
        void open() {
            schedules = opened(builder().register(complete(reports())).enqueueOnly())
                    .schedules();
        }

        private NewSchedule daily(String key) {
            return NewSchedule.of(key, cron("0 3 * * *").zone("Europe/Berlin"))
                    .definition("report", null)
                    .params(REPORT);
        }

        @Test
        void are_created_changed_paused_resumed_and_deleted() {
            Schedule made = schedules.create(daily("a").name("Daily").labels(Map.of("team", "x")));
            assertThat(made.spec().job().definition().version()).isEqualTo(1);
            assertThat(made.spec().job().name()).isEqualTo("Daily");
            Schedule edited =
                    schedules.edit("a", before -> before.cron("30 4 * * *").queue("slow"));
            assertThat(edited.spec().timetable().timing())
                    .isEqualTo(Cron.of("30 4 * * *").zone("Europe/Berlin"));
            assertThat(edited.spec().job().queue()).isEqualTo("slow");
            assertThat(edited.spec().job().labels()).isEqualTo(Map.of("team", "x"));
            assertThat(schedules.edit("a", before -> before)).isEqualTo(edited);
            assertThat(schedules.pause("a", "anna", "why").enabled()).isFalse();
            assertThat(schedules.resume("a").nextRunAt()).isNotNull();
            schedules.delete("a");
            assertThat(schedules.find("a")).isEmpty();
        }

        @Test
        void one_that_is_not_enabled_waits_to_be_resumed() {
            Schedule made = schedules.create(daily("a").enabled(false), "anna");
            assertThat(made.nextRunAt()).isNull();
            assertThat(Objects.requireNonNull(made.pause()).by()).isEqualTo("anna");
            assertThat(schedules.resume("a").nextRunAt()).isNotNull();
        }

        @Test
        void another_kind_of_timing_replaces_the_first() {
            schedules.create(daily("a"));
            Instant soon = Instant.now().plusSeconds(1000).truncatedTo(ChronoUnit.SECONDS);
            Schedule edited = schedules.edit("a", before -> before.timing(Timing.at(soon)));
            assertThat(edited.nextRunAt()).isEqualTo(soon);
            Schedule again = schedules.edit("a", before -> before.untimed().every(Duration.ofHours(1)));
            assertThat(again.spec().timetable().timing()).isInstanceOf(Timing.Every.class);
            assertThat(schedules.edit("a", before -> before.queue("slow")).nextRunAt())
                    .isEqualTo(again.nextRunAt());
        }

        @Test
        void the_next_fires_of_one_that_is_stored_and_of_one_that_is_not() {
            schedules.create(daily("a").maxRuns(2));
            assertThat(schedules.preview("a", 10)).hasSize(2).isSorted();
            assertThat(schedules.preview(NewSchedule.of("x").cron("*/5 * * * *"), 3))
                    .hasSize(3)
                    .isSorted();
            assertThat(schedules.find("x")).isEmpty();
        }

        @Test
        void triggered_and_backfilled() {
            schedules.create(daily("a").maxRuns(1));
            Fire now = schedules.trigger("a", "anna");
            assertThat(now.cause()).isEqualTo(Fire.Cause.TRIGGERED);
            Instant to = Instant.now().minusSeconds(3600);
            List<Fire> made = schedules.backfill("a", to.minus(Duration.ofDays(5)), to, "anna");
            assertThat(made).hasSize(5);
            assertThat(schedules.backfill("a", to.minus(Duration.ofDays(5)), to, null))
                    .isEmpty();
            assertThat(schedules.get("a").runs()).isZero();
            List<PastFire> past = schedules.fires("a", null, 10);
            assertThat(past).hasSize(6);
            assertThat(past.get(0).fire()).isEqualTo(now);
            assertThat(past.stream()
                            .map(fire -> Objects.requireNonNull(fire.job()).status()))
                    .as("one now, the others one after the other")
                    .contains(JobStatus.QUEUED, JobStatus.SCHEDULED);
        }

        @Test
        void a_backfill_has_its_bounds() {
            schedules.create(daily("a").timing(cron("* * * * *")));
            Instant now = Instant.now();
            assertRefused(
                    "from", () -> schedules.backfill("a", now.minus(Duration.ofDays(1)), now.minusSeconds(60), null));
            assertRefused("to", () -> schedules.backfill("a", now, now.plusSeconds(3600), null));
            assertRefused("from", () -> schedules.backfill("a", now.minusSeconds(5), now.minusSeconds(60), null));
            assertThat(schedules.fires("a", null, 10)).isEmpty();
        }

        private void assertRefused(String field, ThrowingCallable call) {
            var refusal = catchThrowableOfType(LonghaulException.class, call);
            assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(refusal.errors().get(0).field()).isEqualTo(field);
        }

        @Test
        void every_call_about_an_unknown_schedule_reports_not_found() {
            for (String key : List.of("nope", "not a key", "", "x\0y")) {
                for (Runnable call : List.<Runnable>of(
                        () -> schedules.get(key),
                        () -> schedules.edit(key, before -> before),
                        () -> schedules.pause(key, null, null),
                        () -> schedules.resume(key),
                        () -> schedules.delete(key),
                        () -> schedules.trigger(key, null),
                        () -> schedules.preview(key, 5),
                        () -> schedules.fires(key, null, 5))) {
                    var refusal = catchThrowableOfType(LonghaulException.class, call::run);
                    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
                }
            }
        }

        @Test
        void invalid_schedules_are_rejected_and_nothing_is_stored() {
            Instant now = Instant.now();
            NewSchedule good = daily("a");
            var table = new LinkedHashMap<String, NewSchedule>();
            table.put("key: a b (expected: 1 to 100 of", good.key("a b"));
            table.put("definitionKey: none (expected: the definition", NewSchedule.of("a", cron("* * * * *")));
            table.put("definitionKey: reprot (expected: ", good.definition("reprot", null));
            table.put("definitionKey: report@9 (expected: ", good.definition("report", 9));
            table.put("params.pages: ", good.params("{\"kind\": \"x\", \"pages\": \"many\"}"));
            table.put("params", good.params("{nonsense"));
            table.put("queue: a b (expected: ", good.queue("a b"));
            table.put("priority: 1001 (expected: -1000 to 1000)", good.priority(1001));
            table.put("maxAttempts: 0 (expected: 1 to 1000)", good.maxAttempts(0));
            table.put("labels: a b (expected: ", good.labels(Map.of("a b", "c")));
            table.put("name: ", good.name("x".repeat(201)));
            table.put(
                    "cron: none (expected: one of cron, everySeconds and at)",
                    good.cron(null).timeZone(null).dst(null));
            table.put("cron: and others (expected: one of", good.every(ofSeconds(5)));
            table.put("hour: 25 (expected: 0-23)", good.cron("0 25 * * *"));
            table.put("this never fires", good.cron("0 0 30 2 *"));
            table.put("cron: ", good.cron("1,".repeat(5000) + "1 * * * *"));
            table.put("timeZone: Europe/Atlantis (expected: an IANA time zone", good.timeZone("Europe/Atlantis"));
            table.put(
                    "timeZone: UTC (expected: none without cron)",
                    NewSchedule.of("a")
                            .definition("report", null)
                            .params(REPORT)
                            .every(ofSeconds(5))
                            .timeZone("UTC"));
            table.put("everySeconds: 0 (expected: 1 to", plain().every(Duration.ZERO));
            table.put("everySeconds: PT1.5S (expected: 1 to", plain().every(Duration.ofMillis(1500)));
            table.put("at: 0 times (expected: 1 to 1000)", plain().at(List.of()));
            table.put(
                    "at: 1001 times (expected: 1 to 1000)",
                    plain().at(IntStream.range(0, 1001)
                            .mapToObj(now::plusSeconds)
                            .toList()));
            table.put("a time in the future; this never fires", plain().at(List.of(now.minusSeconds(60))));
            table.put("at: +1000000000-12-31T23:59:59.999999Z", plain().at(List.of(Instant.MAX)));
            table.put("endAt: ", good.startAt(now.plusSeconds(60)).endAt(now.plusSeconds(30)));
            table.put(
                    "not before the first fire time",
                    good.endAt(now.plusMillis(1)).cron("0 0 1 1 *"));
            table.put("maxRuns: 0 (expected: >= 1)", good.maxRuns(0));
            table.put("jitterSeconds: -1 (expected: 0 to 86400)", good.jitter(ofSeconds(-1)));
            table.put("jitterSeconds: PT0.5S (expected: a whole number", good.jitter(Duration.ofMillis(500)));
            table.put("catchUp.max: 0 (expected: 1 to 1000)", good.catchUp(CatchUp.Policy.ALL, 0, ofSeconds(5)));
            table.put("catchUp.windowSeconds: -5 (expected: ", good.catchUp(CatchUp.Policy.ALL, 5, ofSeconds(-5)));
            table.forEach((expected, schedule) -> {
                var refusal = catchThrowableOfType(LonghaulException.class, () -> schedules.create(schedule));
                assertThat(refusal).as(expected).isNotNull();
                assertThat(refusal).hasMessageContaining(expected);
                assertThat(refusal.getMessage()).hasSizeLessThan(1000);
                boolean unknown = expected.startsWith("definitionKey: rep");
                assertThat(refusal.code())
                        .isEqualTo(unknown ? ErrorCode.UNKNOWN_DEFINITION : ErrorCode.INVALID_ARGUMENT);
            });
            assertThat(schedules.list(null, 10).schedules()).isEmpty();
            schedules.create(good);
            Schedule before = schedules.get("a");
            assertThat(catchThrowableOfType(
                            LonghaulException.class, () -> schedules.edit("a", current -> current.cron("0 25 * * *"))))
                    .hasMessageContaining("hour: 25 (expected: 0-23)");
            assertThat(schedules.get("a")).isEqualTo(before);
        }

        private NewSchedule plain() {
            return NewSchedule.of("a").definition("report", null).params(REPORT);
        }

        @Test
        void every_problem_of_a_schedule_is_reported_at_once() {
            NewSchedule bad = NewSchedule.of("a b")
                    .definition("report", null)
                    .params("{\"kind\": 7, \"pages\": 1}")
                    .queue("q q")
                    .cron("61 25 * * *")
                    .timeZone("Nowhere")
                    .maxRuns(-1)
                    .catchUp(CatchUp.Policy.ALL, 0, ofSeconds(1));
            var refusal = catchThrowableOfType(LonghaulException.class, () -> schedules.create(bad));
            assertThat(refusal.errors().stream().map(FieldError::field))
                    .contains("key", "queue", "params.kind", "minute", "hour", "timeZone", "maxRuns", "catchUp.max");
        }
    }
}
