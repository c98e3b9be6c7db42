package dev.longhaul.contract.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.spi.SchedulePage;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests storing schedules, by operators and by code. */
public abstract class ScheduleContract extends ScheduleWords {
    private static Timetable times(Timing timing) {
        return Timetable.of(timing);
    }

    @Test
    void keeps_all_settings() {
        JobSpec job = aJob(new DefinitionRef("report", 7))
                .params("{\"a\": [1, 2]}")
                .queue("slow")
                .priority(-3)
                .maxAttempts(9)
                .timeout(Duration.ofMinutes(5))
                .name("the \"report\"")
                .labels(Map.of("team", "a b", "x", "y"))
                .build();
        Instant start = now().plus(HOUR);
        var limits = new Timetable(
                Cron.of("0 3 * * MON").zone("Europe/Berlin").dst(Cron.Dst.SKIP),
                start,
                start.plus(Duration.ofDays(900)),
                17,
                Duration.ofSeconds(30));
        var full = new ScheduleSpec(
                "a.full-one_1",
                JobTemplate.of(job),
                limits,
                new CatchUp(CatchUp.Policy.ALL, 7, Duration.ofHours(2)),
                Overlap.QUEUE_ONE);
        Schedule created = schedules().create(full, true, "anna");
        assertThat(created.spec()).isEqualTo(full);
        assertThat(created.enabled()).isFalse();
        assertThat(present(created.pause()).by()).isEqualTo("anna");
        assertThat(created.nextRunAt()).isNull();
        assertThat(anotherStore().schedules().find("a.full-one_1")).contains(created);
    }

    @Test
    void keeps_every_kind_of_timing() {
        Instant later = now().plus(HOUR);
        for (Timing timing : List.of(
                Cron.of("*/10 * * * * *"),
                Timing.every(Duration.ofSeconds(90), later),
                Timing.at(later, later.plusNanos(1000), later.plus(HOUR)))) {
            schedules().upsert(spec("one", timing), false);
            assertThat(schedule("one").spec().timetable()).isEqualTo(times(timing));
        }
    }

    @Test
    void knows_when_a_new_one_fires_next() {
        ScheduleSpec hourly = hourly("a");
        Schedule created = create(hourly);
        assertThat(created.nextRunAt())
                .isEqualTo(hourly.timetable().nextAfter(now()).orElseThrow());
        assertThat(created.runs()).isZero();
        assertThat(created.lastRunAt()).isNull();
        assertThat(created.lastJobId()).isNull();
        assertThat(created.createdAt()).isEqualTo(created.updatedAt());
    }

    @Test
    void rejects_a_key_that_exists() {
        Schedule first = create(hourly("a"));
        assertRefused(ErrorCode.FAILED_PRECONDITION, () -> create(spec("a", Cron.of("0 3 * * *"))));
        assertThat(schedule("a")).isEqualTo(first);
    }

    @Test
    void rejects_one_that_would_never_fire() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> create(spec("a", Timing.at(now().minus(HOUR)))));
        assertThat(schedules().find("a")).isEmpty();
    }

    @Test
    void finds_no_schedule_that_does_not_exist() {
        assertThat(schedules().find("a")).isEmpty();
        assertThat(schedules().fires("a", null, 10)).isEmpty();
        for (Runnable call : List.<Runnable>of(
                () -> schedules().edit(hourly("a"), hourly("a"), null, null),
                () -> schedules().pause("a", null, null),
                () -> schedules().resume("a"),
                () -> schedules().trigger("a", null),
                () -> schedules().backfill("a", List.of(now()), SECOND, null),
                () -> schedules().delete("a"))) {
            assertRefused(ErrorCode.NOT_FOUND, call::run);
        }
    }

    @Test
    void upserting_creates_one_and_then_leaves_it_unchanged() {
        ScheduleSpec hourly = hourly("a");
        Schedule first = schedules().upsert(hourly, false);
        advance(HOUR.multipliedBy(3));
        assertThat(schedules().upsert(hourly, false))
                .as("due fires stay due, and can be made up for")
                .isEqualTo(first);
    }

    @Test
    void upserting_one_whose_times_have_passed_creates_one_that_does_not_fire() {
        Schedule past = schedules().upsert(spec("a", Timing.at(now().minus(HOUR))), false);
        assertThat(past.nextRunAt()).isNull();
        assertThat(past.enabled()).isTrue();
    }

    @Test
    void upserting_keeps_a_pause() {
        ScheduleSpec hourly = hourly("a");
        schedules().upsert(hourly, false);
        schedules().pause("a", "anna", "month end");
        assertThat(schedules().upsert(hourly, false).enabled()).isFalse();
        Schedule changed = schedules().upsert(spec("a", Cron.of("0 3 * * *")), false);
        assertThat(changed.spec().timetable().timing()).isEqualTo(Cron.of("0 3 * * *"));
        assertThat(changed.nextRunAt()).isNull();
        Pause pause = present(changed.pause());
        assertThat(pause.by()).isEqualTo("anna");
        assertThat(pause.note()).isEqualTo("month end");
    }

    @Test
    void upserting_by_older_code_changes_nothing() {
        ScheduleSpec hourly = hourly("a");
        schedules().upsert(with(hourly, aJob(new DefinitionRef("report", 2)).build()), false);
        assertThat(schedules().upsert(hourly, false).spec().job().definition().version())
                .isEqualTo(2);
        schedules().upsert(with(hourly, aJob(new DefinitionRef("report", 3)).build()), false);
        assertThat(schedule("a").spec().job().definition().version()).isEqualTo(3);
    }

    @Test
    void concurrent_upserts_of_the_same_key_create_one() {
        ScheduleSpec hourly = hourly("a");
        List<Schedule> made = Race.of(8, i -> storeOf(i).schedules().upsert(hourly, false));
        assertThat(made).containsOnly(schedule("a"));
    }

    @Test
    void of_concurrent_creates_of_the_same_key_one_wins() {
        ScheduleSpec hourly = hourly("a");
        List<Boolean> won = Race.of(8, i -> {
            try {
                return storeOf(i).schedules().create(hourly, false, null) != null;
            } catch (LonghaulException e) {
                return false;
            }
        });
        assertThat(won).containsOnlyOnce(true);
    }

    @Test
    void an_edit_that_keeps_the_times_keeps_due_fires() {
        Schedule before = create(hourly("a"));
        advance(HOUR.plus(SECOND));
        Schedule after = schedules()
                .edit(before.spec(), with(before.spec(), aJob().queue("slow").build()), null, null)
                .orElseThrow();
        assertThat(after.nextRunAt()).isEqualTo(before.nextRunAt());
        assertThat(after.spec().job().queue()).isEqualTo("slow");
        assertThat(after.updatedAt()).isAfter(before.updatedAt());
        assertThat(schedule("a")).isEqualTo(after);
    }

    @Test
    void an_edit_of_the_times_continues_from_now() {
        Schedule before = create(hourly("a"));
        advance(HOUR.plus(SECOND));
        Instant later = now().plus(HOUR);
        Schedule after = schedules()
                .edit(before.spec(), with(before.spec(), times(Timing.at(now().minus(SECOND), later))), null, null)
                .orElseThrow();
        assertThat(after.nextRunAt()).isEqualTo(later);
    }

    @Test
    void an_edit_of_an_outdated_schedule_changes_nothing() {
        Schedule before = create(hourly("a"));
        ScheduleSpec other = with(before.spec(), aJob().queue("other").build());
        schedules().edit(before.spec(), other, null, null);
        ScheduleSpec late = with(before.spec(), aJob().queue("late").build());
        assertThat(schedules().edit(before.spec(), late, null, null)).isEmpty();
        assertThat(schedule("a").spec()).isEqualTo(other);
    }

    @Test
    void an_edit_to_times_that_never_fire_is_rejected() {
        Schedule before = create(hourly("a"));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> schedules()
                        .edit(before.spec(), with(before.spec(), times(Timing.at(now().minus(HOUR)))), null, null));
        assertThat(schedule("a")).isEqualTo(before);
    }

    @Test
    void fires_due_during_a_pause_are_not_made_up_for() {
        create(hourly("a"));
        Schedule paused = schedules().pause("a", "anna", "why");
        assertThat(paused.nextRunAt()).isNull();
        assertThat(present(paused.pause()).by()).isEqualTo("anna");
        advance(HOUR.multipliedBy(3).plus(SECOND));
        assertThat(anyDue()).isFalse();
        Schedule resumed = schedules().resume("a");
        assertThat(resumed.enabled()).isTrue();
        assertThat(resumed.nextRunAt()).isAfter(now()).isBefore(now().plus(HOUR));
    }

    @Test
    void resuming_one_that_is_not_paused_drops_no_fire() {
        Schedule before = create(hourly("a"));
        advance(HOUR.plus(SECOND));
        assertThat(schedules().resume("a")).isEqualTo(before);
    }

    @Test
    void one_that_is_deleted_is_gone_with_its_history() {
        create(hourly("a"));
        create(hourly("b"));
        Fire fire = schedules().trigger("a", null);
        schedules().delete("a");
        assertThat(schedules().find("a")).isEmpty();
        assertThat(schedules().fires("a", null, 10)).isEmpty();
        assertThat(store().jobs().find(present(fire.jobId())))
                .as("its job stays")
                .isPresent();
        assertThat(schedules().find("b")).isPresent();
        create(hourly("a"));
    }

    @Test
    void a_new_one_may_be_paused_by_code() {
        assertThat(schedules().upsert(hourly("a"), true).enabled()).isFalse();
        schedules().resume("a");
        assertThat(schedules().upsert(spec("a", Cron.of("0 3 * * *")), true).enabled())
                .as("the initial pause in code does not pause an existing schedule")
                .isTrue();
    }

    @Test
    void an_edit_may_pause_or_resume_in_the_same_step() {
        Schedule before = create(hourly("a"));
        ScheduleSpec other = with(before.spec(), aJob().queue("slow").build());
        Schedule paused = schedules().edit(before.spec(), other, false, "anna").orElseThrow();
        assertThat(paused.spec()).isEqualTo(other);
        assertThat(paused.nextRunAt()).isNull();
        assertThat(present(paused.pause()).by()).isEqualTo("anna");
        assertThat(schedules().edit(other, other, false, "berta")).contains(paused);
        Schedule resumed = schedules().edit(other, before.spec(), true, "berta").orElseThrow();
        assertThat(resumed.enabled()).isTrue();
        assertThat(resumed.nextRunAt()).isNotNull();
    }

    @Test
    void due_fires_stay_due_when_limits_and_jitter_change() {
        Schedule before = create(hourly("a"));
        advance(HOUR.plus(SECOND));
        Timing hourly = before.spec().timetable().timing();
        var more = new Timetable(hourly, null, now().plus(HOUR.multipliedBy(9)), 7, Duration.ofSeconds(9));
        Schedule edited = schedules()
                .edit(before.spec(), with(before.spec(), more), null, null)
                .orElseThrow();
        assertThat(edited.nextRunAt()).isEqualTo(before.nextRunAt()).isBefore(now());

        var over = new Timetable(hourly, null, now().minus(Duration.ofMinutes(30)), null, Duration.ZERO);
        Schedule ended = schedules().upsert(with(before.spec(), over), false);
        assertThat(ended.nextRunAt()).isNull();
    }

    @Test
    void one_with_an_unknown_time_zone_can_be_read_paused_and_deleted() {
        var unknown = new Cron(Cron.of("0 3 * * *").expression(), "Mars/Base", Cron.Dst.RUN);
        Schedule stored = schedules().upsert(spec("a", unknown), true);
        assertThat(schedule("a")).isEqualTo(stored);
        assertThat(schedules().list(null, 10).schedules()).containsExactly(stored);
        assertThat(schedules().pause("a", "anna", "why").spec()).isEqualTo(stored.spec());
        assertRefused(ErrorCode.FAILED_PRECONDITION, () -> schedules().resume("a"));
        assertThat(schedules().edit(stored.spec(), hourly("a"), true, null)).isPresent();
        schedules().upsert(spec("a", Cron.of("0 3 * * *")), false);
        schedules().delete("a");
        assertThat(schedules().find("a")).isEmpty();
    }

    @Test
    void ends_a_page_of_large_ones_early() {
        String large = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        for (int i = 0; i < 10; i++) {
            create(with(hourly("s" + i), JobSpec.of(REPORT, large).build()));
        }

        SchedulePage first = schedules().list(null, Limits.PAGE);
        assertThat(first.schedules()).hasSize(8);
        SchedulePage second = schedules().list(first.nextCursor(), Limits.PAGE);
        assertThat(second.schedules()).extracting(Schedule::key).containsExactly("s8", "s9");
        assertThat(second.nextCursor()).isNull();
    }

    @Test
    void lists_by_key_page_by_page() {
        var keys = new ArrayList<String>();
        for (String key : List.of("B", "a", "a-1", "b", "Z9")) {
            create(hourly(key));
        }
        String cursor = null;
        do {
            SchedulePage page = schedules().list(cursor, 2);
            page.schedules().forEach(schedule -> keys.add(schedule.key()));
            cursor = page.nextCursor();
        } while (cursor != null);
        assertThat(keys).containsExactly("B", "Z9", "a", "a-1", "b");
    }

    @Test
    void notifies_other_processes_of_a_change() throws InterruptedException {
        var heard = new LinkedBlockingQueue<Signal>();
        var changed = new Signal(Signal.Kind.SCHEDULE, create(hourly("a")).key());
        try (Subscription subscription = anotherStore().work().listen(heard::add)) {
            assertThat(subscription).isNotNull();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            Signal signal = null;
            // The other process may not listen yet, and may first receive signals of an earlier test.
            while (!changed.equals(signal) && System.nanoTime() < end) {
                schedules().pause("a", null, null);
                signal = heard.poll(200, TimeUnit.MILLISECONDS);
            }
            assertThat(signal).isEqualTo(changed);
        }
    }
}
