package dev.longhaul.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The work of a leader on schedules, with a clock that the test moves. The day begins at noon. */
class ScheduleFirerTest {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Cron HOURLY = Cron.of("0 * * * *");

    private final Instant noon = LocalDate.now(ZoneOffset.UTC).atTime(12, 0).toInstant(ZoneOffset.UTC);

    private final MovableClock clock = new MovableClock(noon);
    private final MemoryStore store = new MemoryStore(clock);
    private final Leader leader = new Leader(store.upkeep(), "leader", LEASE);
    private final ScheduleFirer firer = new ScheduleFirer(store.scheduleFires(), store.jobs(), leader);

    @BeforeEach
    void lead() {
        leader.runOnce(clock.instant());
    }

    /** Moves the clock to that time of the day, and runs one pass of the leader. */
    private void at(String time) {
        move(time);
        pass();
    }

    private void move(String time) {
        Instant then =
                noon.plus(Duration.parse("PT" + time.replace(":", "H") + "M")).minus(Duration.ofHours(12));
        clock.advance(Duration.between(clock.instant(), then));
    }

    private void pass() {
        leader.runOnce(clock.instant());
        firer.runOnce(clock.instant());
    }

    private void create(String key, Timetable timetable, CatchUp catchUp, Overlap overlap) {
        JobTemplate job =
                JobTemplate.of(JobSpec.of(new DefinitionRef("report", 1), "{}").build());
        store.schedules().create(new ScheduleSpec(key, job, timetable, catchUp, overlap), false, null);
    }

    private void create(String key, Overlap overlap) {
        create(key, Timetable.of(HOURLY), CatchUp.DEFAULT, overlap);
    }

    private Schedule schedule(String key) {
        return store.schedules().find(key).orElseThrow();
    }

    /** The fire times of its jobs, earliest first, as times of the day. */
    private List<String> ran(String key) {
        return store.jobs().list(JobQuery.where().limit(500).build()).jobs().stream()
                .map(job -> Objects.requireNonNull(job.spec().schedule()))
                .filter(fire -> fire.scheduleKey().equals(key))
                .map(fire ->
                        fire.fireAt().atOffset(ZoneOffset.UTC).toLocalTime().toString())
                .sorted()
                .toList();
    }

    private Claim claim() {
        List<ClaimedJob> claimed =
                store.work().claim(ClaimRequest.of("w", List.of("default"), null, 1, Duration.ofHours(9)));
        assertThat(claimed).hasSize(1);
        return claimed.get(0).claim();
    }

    private Job job(@Nullable JobId id) {
        return store.jobs().find(Objects.requireNonNull(id)).orElseThrow();
    }

    @Test
    void sleeps_until_the_next_fire_but_at_most_five_seconds() {
        pass();
        assertThat(firer.pause()).isEqualTo(Duration.ofSeconds(5));
        create("a", Overlap.ALLOW);
        move("12:59");
        clock.advance(Duration.ofMillis(58_800));
        pass();
        assertThat(firer.pause()).isEqualTo(Duration.ofMillis(1200));
        assertThat(ran("a")).isEmpty();
        at("13:00");
        assertThat(ran("a")).containsExactly("13:00");
        assertThat(firer.pause()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void does_nothing_while_another_leads() {
        create("a", Overlap.ALLOW);
        var other = new Leader(store.upkeep(), "other", LEASE);
        var waiting = new ScheduleFirer(store.scheduleFires(), store.jobs(), other);
        move("13:00");
        leader.runOnce(clock.instant());
        other.runOnce(clock.instant());
        waiting.runOnce(clock.instant());
        assertThat(ran("a")).isEmpty();
        assertThat(waiting.pause()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void a_successor_takes_over_within_ten_seconds_and_nothing_is_missed() {
        create("a", Timetable.of(Cron.of("* * * * * *")), CatchUp.DEFAULT, Overlap.ALLOW);
        var other = new Leader(store.upkeep(), "other", LEASE);
        var successor = new ScheduleFirer(store.scheduleFires(), store.jobs(), other);
        for (int second = 0; second < 20; second++) {
            clock.advance(Duration.ofSeconds(1));
            if (second < 10) {
                pass();
            }
            other.runOnce(clock.instant());
            successor.runOnce(clock.instant());
            long behind = second + 1 - schedule("a").runs();
            assertThat(behind).isLessThan(4);
        }
        assertThat(schedule("a").runs()).isEqualTo(20);
        assertThat(ran("a")).hasSize(20);
        firer.runOnce(clock.instant());
        assertThat(ran("a")).as("independent of the previous leader").hasSize(20);
    }

    @Nested
    class DownForThreeHours {
        private void down(CatchUp catchUp, Timetable timetable) {
            create("a", timetable, catchUp, Overlap.ALLOW);
            at("12:10");
            at("15:30");
        }

        private void down(CatchUp.Policy policy, int max, Duration window) {
            down(new CatchUp(policy, max, window), Timetable.of(HOURLY));
        }

        @Test
        void skip_makes_up_for_nothing() {
            down(CatchUp.Policy.SKIP, 100, Duration.ofDays(1));
            assertThat(ran("a")).isEmpty();
            at("16:00");
            assertThat(ran("a")).containsExactly("16:00");
        }

        @Test
        void once_makes_up_for_the_last() {
            down(CatchUp.Policy.ONCE, 100, Duration.ofDays(1));
            assertThat(ran("a")).containsExactly("15:00");
            at("16:00");
            assertThat(ran("a")).containsExactly("15:00", "16:00");
        }

        @Test
        void all_makes_up_for_all() {
            down(CatchUp.Policy.ALL, 100, Duration.ofDays(1));
            assertThat(ran("a")).containsExactly("13:00", "14:00", "15:00");
        }

        @Test
        void all_makes_up_for_no_more_than_it_may() {
            down(CatchUp.Policy.ALL, 2, Duration.ofDays(1));
            assertThat(ran("a")).containsExactly("14:00", "15:00");
        }

        @Test
        void nothing_is_made_up_for_that_is_outside_the_window() {
            down(CatchUp.Policy.ALL, 100, Duration.ofHours(1));
            assertThat(ran("a")).containsExactly("15:00");
        }

        @Test
        void runs_that_are_left_are_made_up_for_and_then_it_is_over() {
            var all = new CatchUp(CatchUp.Policy.ALL, 100, Duration.ofDays(1));
            down(all, new Timetable(HOURLY, null, null, 2, Duration.ZERO));
            assertThat(ran("a")).containsExactly("13:00", "14:00");
            assertThat(schedule("a").nextRunAt()).isNull();
        }

        @Test
        void an_end_that_came_meanwhile_is_kept_to() {
            var all = new CatchUp(CatchUp.Policy.ALL, 100, Duration.ofDays(1));
            down(all, new Timetable(HOURLY, null, noon.plus(Duration.ofHours(2)), null, Duration.ZERO));
            assertThat(ran("a")).containsExactly("13:00", "14:00");
            assertThat(schedule("a").nextRunAt()).isNull();
        }

        @Test
        void does_not_catch_up_fires_of_a_pause() {
            create("a", Timetable.of(HOURLY), new CatchUp(CatchUp.Policy.ALL, 9, Duration.ofDays(1)), Overlap.ALLOW);
            store.schedules().pause("a", "anna", "month end");
            at("15:30");
            store.schedules().resume("a");
            pass();
            assertThat(ran("a")).isEmpty();
            at("16:00");
            assertThat(ran("a")).containsExactly("16:00");
        }
    }

    /** The job takes two and a half hours, the schedule fires every hour. */
    @Nested
    class AJobLongerThanItsInterval {
        private Claim first(Overlap overlap) {
            create("a", overlap);
            at("13:00");
            Claim running = claim();
            at("14:00");
            at("15:00");
            return running;
        }

        private void end(Claim running) {
            move("15:30");
            assertThat(store.work()
                            .apply(List.of(Transition.succeed(running, "{}")))
                            .get(0)
                            .won())
                    .isTrue();
            pass();
        }

        @Test
        void allow_lets_them_run_side_by_side() {
            first(Overlap.ALLOW);
            assertThat(ran("a")).containsExactly("13:00", "14:00", "15:00");
            claim();
            claim();
        }

        @Test
        void skip_leaves_out_those_that_come_too_early() {
            Claim running = first(Overlap.SKIP);
            assertThat(ran("a")).containsExactly("13:00");
            end(running);
            at("16:00");
            assertThat(ran("a")).containsExactly("13:00", "16:00");
            assertThat(schedule("a").runs()).isEqualTo(2);
        }

        @Test
        void queue_one_runs_one_of_them_afterwards() {
            Claim running = first(Overlap.QUEUE_ONE);
            assertThat(ran("a")).containsExactly("13:00", "14:00");
            assertThat(firer.pause()).as("polls for the end of the first job").isLessThan(Duration.ofSeconds(1));
            Job held = job(schedule("a").lastJobId());
            assertThat(held.status()).isEqualTo(JobStatus.CREATED);
            end(running);
            assertThat(claim().jobId()).isEqualTo(held.id());
            at("16:00");
            assertThat(ran("a")).containsExactly("13:00", "14:00", "16:00");
        }

        @Test
        void cancel_previous_cancels_it_and_runs_the_last() {
            Claim running = first(Overlap.CANCEL_PREVIOUS);
            assertThat(ran("a")).containsExactly("13:00", "14:00", "15:00");
            assertThat(job(running.jobId()).status()).isEqualTo(JobStatus.CANCELLING);
            assertThat(Objects.requireNonNull(job(running.jobId()).cancelRequest())
                            .reason())
                    .contains("schedule a fired again");
            Job last = job(schedule("a").lastJobId());
            assertThat(last.status()).isEqualTo(JobStatus.CREATED);
            end(running);
            assertThat(store.jobs()
                            .list(JobQuery.where().statuses(JobStatus.CANCELLED).build())
                            .jobs())
                    .as("the job in between never ran")
                    .hasSize(1);
            assertThat(claim().jobId()).isEqualTo(last.id());
        }
    }

    @Test
    void a_fire_time_removed_by_an_edit_does_not_fire() {
        create("a", Overlap.ALLOW);
        move("13:00");
        ScheduleSpec before = schedule("a").spec();
        var later = new ScheduleSpec(
                "a", before.job(), Timetable.of(Cron.of("30 * * * *")), before.catchUp(), before.overlap());
        assertThat(store.schedules().edit(before, later, null, null)).isPresent();
        pass();
        assertThat(ran("a")).isEmpty();
        at("13:30");
        assertThat(ran("a")).containsExactly("13:30");
    }
}
