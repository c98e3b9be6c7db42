package dev.longhaul.contract.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.Race;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires.Pass;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests that schedules fire once for each time, even if the leader changes or an error occurs. */
public abstract class FireContract extends ScheduleWords {
    @Test
    void creates_a_job_of_the_schedule_and_advances_it() {
        JobSpec job = aJob().params("[1]").queue("slow").name("n").build();
        Schedule before = create(with(hourly("a"), job));
        advance(HOUR.plus(SECOND));
        Pass fired = fireDue();
        assertThat(fired.schedules()).isEqualTo(1);
        Fire fire = fired.fires().get(0);
        assertThat(fire.outcome()).isEqualTo(Fire.Outcome.CREATED);
        assertThat(fire.cause()).isEqualTo(Fire.Cause.SCHEDULED);
        assertThat(fire.fireAt()).isEqualTo(before.nextRunAt());
        Job made = look(present(fire.jobId()));
        assertThat(made.spec().schedule()).isEqualTo(new ScheduleFire("a", fire.fireAt()));
        assertThat(made.spec().params()).isEqualTo("[1]");
        assertThat(made.spec().queue()).isEqualTo("slow");
        assertThat(made.spec().name()).isEqualTo("n");
        assertThat(made.status()).isEqualTo(JobStatus.QUEUED);
        Schedule after = schedule("a");
        assertThat(after.runs()).isEqualTo(1);
        assertThat(after.lastRunAt()).isEqualTo(fire.fireAt());
        assertThat(after.lastJobId()).isEqualTo(made.id());
        assertThat(after.nextRunAt()).isEqualTo(fire.fireAt().plus(HOUR));
        assertThat(after.updatedAt()).as("no caller has changed it").isEqualTo(before.updatedAt());
        assertThat(schedules().fires("a", null, 10)).containsExactly(new PastFire(fire, made));
    }

    @Test
    void finds_due_schedules_longest_due_first_and_the_time_until_the_next() {
        assertThat(scheduleFires().untilNextDue()).isEmpty();
        create(spec("late", Timing.every(HOUR, now().plus(HOUR.multipliedBy(2)))));
        create(hourly("soon"));
        schedules().pause("late", null, null);
        schedules().resume("late");
        assertThat(fireDue()).isEqualTo(Pass.NOTHING);
        assertThat(scheduleFires().untilNextDue().orElseThrow())
                .isLessThanOrEqualTo(HOUR)
                .isGreaterThan(HOUR.minus(Duration.ofMinutes(1)));
        advance(HOUR.multipliedBy(2).plus(SECOND));
        assertThat(scheduleFires().untilNextDue()).contains(Duration.ZERO);
        for (String next : List.of("soon", "late")) {
            Pass one = scheduleFires().fireDue(leader(), 1);
            assertThat(one.schedules()).isEqualTo(1);
            assertThat(one.fires().stream().map(Fire::scheduleKey)).containsExactly(next);
        }
        assertThat(anyDue()).isFalse();
    }

    @Test
    void webhooks_get_an_event_for_missed_fires() {
        var spec = new WebhookSpec(
                "https://hooks.example.com/",
                Set.of(WebhookEvent.SCHEDULE_MISSED),
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
        Webhook webhook = store().webhooks().create(UUID.randomUUID(), spec, null);
        Schedule before = create(hourly("a"));
        advance(HOUR.plus(SECOND));
        fireDue();
        assertThat(store().webhooks().deliveries(webhook.id(), null, null, 10))
                .as("none is missed")
                .isEmpty();

        advance(HOUR.multipliedBy(5));
        assertThat(fireDue().fires()).as("one for all of them").hasSize(1);
        SystemEvent missed = present(store().webhooks()
                .deliveries(webhook.id(), null, null, 10)
                .get(0)
                .happening());
        assertThat(missed.subject()).isEqualTo("a");
        Instant first = present(before.nextRunAt()).plus(HOUR);
        assertThat(missed.details())
                .isEqualTo("{\"scheduleKey\":\"a\",\"firstMissedAt\":\"" + first + "\",\"missed\":4,\"madeUpFor\":1}");
    }

    @Test
    void jitter_moves_the_run_time_and_not_the_fire_time() {
        ScheduleSpec hourly = hourly("a");
        Timetable jittered = new Timetable(hourly.timetable().timing(), null, null, null, HOUR);
        Schedule before = create(with(hourly, jittered));
        advance(HOUR);
        Fire fire = fireDue().fires().get(0);
        assertThat(fire.fireAt()).isEqualTo(before.nextRunAt());
        assertThat(look(present(fire.jobId())).times().runAt()).isEqualTo(jittered.runAt("a", fire.fireAt()));
    }

    @Test
    void a_former_leader_changes_nothing() {
        Leadership old = store().upkeep().lead("old", SECOND, LEASE).orElseThrow();
        create(hourly("a"));
        advance(HOUR.plus(SECOND));
        assertThat(store().upkeep().lead("new", HOUR, LEASE)).isPresent();
        assertThat(scheduleFires().fireDue(old, 500)).isEqualTo(Pass.NOTHING);
        assertThat(jobs()).isEmpty();
        assertThat(fires("a")).isEmpty();
        assertThat(anyDue()).isTrue();
    }

    @Test
    void a_fire_time_that_has_fired_does_not_fire_again() {
        create(hourly("a"));
        advance(HOUR.plus(SECOND));
        assertThat(fireDue().schedules()).isEqualTo(1);
        assertThat(fireDue()).isEqualTo(Pass.NOTHING);
        assertThat(jobs()).hasSize(1);
    }

    @Test
    void one_that_was_changed_while_it_was_due_fires_with_the_change_or_not_at_all() {
        for (String key : List.of("edited", "paused", "resumed", "deleted", "triggered", "same")) {
            create(hourly(key));
        }
        advance(HOUR.plus(SECOND));
        ScheduleSpec before = schedule("edited").spec();
        schedules().edit(before, with(before, aJob().queue("new").build()), null, null);
        schedules().pause("paused", null, null);
        schedules().pause("resumed", null, null);
        schedules().resume("resumed");
        schedules().delete("deleted");
        schedules().trigger("triggered", null);
        Pass fired = fireDue();
        assertThat(fired.schedules()).isEqualTo(3);
        assertThat(fired.fires().stream().map(Fire::scheduleKey))
                .containsExactlyInAnyOrder("edited", "triggered", "same");
        assertThat(jobs().stream()
                        .filter(job -> fireOf(job).scheduleKey().equals("edited"))
                        .map(job -> job.spec().queue()))
                .containsExactly("new");
    }

    @Test
    void two_leaders_at_once_fire_each_time_once_and_miss_none() {
        int schedules = 20;
        int seconds = 100;
        Instant first = now().plusSeconds(10);
        for (int i = 0; i < schedules; i++) {
            create(spec("s" + i, new Timing.At(secondsFrom(first, seconds))));
        }
        Leadership both = leader();
        advance(Duration.ofSeconds(9));
        for (int second = 0; second <= seconds; second++) {
            advance(SECOND);
            Race.of(2, i -> {
                var own = storeOf(i).scheduleFires();
                Pass fired;
                do {
                    fired = own.fireDue(both, 7);
                } while (own.untilNextDue().filter(Duration::isZero).isPresent());
                return fired;
            });
        }
        var fired = new HashSet<ScheduleFire>();
        for (int i = 0; i < schedules; i++) {
            List<Fire> all = fires("s" + i);
            assertThat(all.stream().map(Fire::fireAt).sorted()).containsExactlyElementsOf(secondsFrom(first, seconds));
            assertThat(schedule("s" + i).runs()).isEqualTo(seconds);
        }
        int jobs = 0;
        JobId cursor = null;
        do {
            var page = store().jobs()
                    .list(JobQuery.where().limit(500).cursor(cursor).build());
            page.jobs().forEach(job -> fired.add(fireOf(job)));
            jobs += page.jobs().size();
            cursor = page.nextCursor();
        } while (cursor != null);
        assertThat(jobs).isEqualTo(schedules * seconds);
        assertThat(fired).hasSize(schedules * seconds);
    }

    private static List<Instant> secondsFrom(Instant first, int count) {
        var all = new ArrayList<Instant>();
        for (int i = 0; i < count; i++) {
            all.add(first.plusSeconds(i));
        }
        return all;
    }

    @Test
    void many_that_are_due_at_once_all_fire() {
        Instant same = now().plus(HOUR);
        for (int i = 0; i < 300; i++) {
            create(with(spec("s" + i, Timing.at(same)), i % 2 == 0 ? Overlap.ALLOW : Overlap.SKIP));
        }
        advance(HOUR.plus(SECOND));
        Pass fired = fireDue();
        assertThat(fired.schedules()).isEqualTo(300);
        assertThat(fired.fires()).hasSize(300).allMatch(fire -> fire.outcome() == Fire.Outcome.CREATED);
        assertThat(anyDue()).isFalse();
        assertThat(scheduleFires().untilNextDue()).isEmpty();
    }

    @Test
    void after_its_last_run_it_fires_no_more() {
        ScheduleSpec hourly = hourly("a");
        create(with(hourly, new Timetable(hourly.timetable().timing(), null, null, 2, Duration.ZERO)));
        for (int i = 0; i < 4; i++) {
            advance(HOUR);
            fireDue();
        }
        assertThat(schedule("a").runs()).isEqualTo(2);
        assertThat(schedule("a").nextRunAt()).isNull();
        assertThat(jobs()).hasSize(2);
    }

    @Test
    void after_its_end_it_fires_no_more() {
        ScheduleSpec hourly = hourly("a");
        Instant end = now().plus(HOUR.multipliedBy(2)).plusSeconds(60);
        create(with(hourly, new Timetable(hourly.timetable().timing(), null, end, null, Duration.ZERO)));
        for (int i = 0; i < 4; i++) {
            advance(HOUR.plus(SECOND));
            fireDue();
        }
        assertThat(schedule("a").runs()).isEqualTo(2);
        assertThat(schedule("a").nextRunAt()).isNull();
    }

    @Test
    void missed_fires_are_made_up_for_by_the_policy() {
        Timing every = Timing.every(HOUR, now().plus(HOUR));
        for (CatchUp.Policy policy : CatchUp.Policy.values()) {
            ScheduleSpec hourly = spec(policy.name(), every);
            var catchUp = new CatchUp(policy, 2, Duration.ofDays(1));
            create(new ScheduleSpec(hourly.key(), hourly.job(), hourly.timetable(), catchUp, Overlap.ALLOW));
        }
        advance(HOUR.multipliedBy(3).plus(Duration.ofMinutes(30)));
        assertThat(fireDue().schedules()).isEqualTo(3);
        assertThat(fires("SKIP")).isEmpty();
        assertThat(fires("ONCE")).hasSize(1);
        assertThat(fires("ALL")).hasSize(2);
        assertThat(fires("ALL").get(0).fireAt()).isEqualTo(fires("ONCE").get(0).fireAt());
        for (CatchUp.Policy policy : CatchUp.Policy.values()) {
            assertThat(schedule(policy.name()).nextRunAt()).isAfter(now());
        }
    }

    @Test
    void a_job_that_a_full_queue_rejects_is_recorded_and_blocks_no_other() {
        store().queues().maxDepth("full", 0);
        create(with(hourly("a"), aJob().queue("full").build()));
        create(hourly("b"));
        advance(HOUR.plus(SECOND));
        Pass fired = fireDue();
        assertThat(fired.schedules()).isEqualTo(2);
        assertThat(fires("a").get(0).outcome()).isEqualTo(Fire.Outcome.REFUSED);
        assertThat(fires("a").get(0).jobId()).isNull();
        assertThat(schedule("a").runs()).as("it did not run").isZero();
        assertThat(schedule("a").nextRunAt()).isAfter(now());
        assertThat(fires("b").get(0).outcome()).isEqualTo(Fire.Outcome.CREATED);
    }

    @Test
    void history_is_listed_latest_first_in_pages_and_kept_as_long_as_jobs() {
        create(hourly("a"));
        for (int i = 0; i < 5; i++) {
            advance(HOUR);
            fireDue();
        }
        List<Fire> all = fires("a");
        assertThat(all).hasSize(5);
        assertThat(all.stream().map(Fire::fireAt)).isSortedAccordingTo((a, b) -> b.compareTo(a));
        assertThat(schedules().fires("a", all.get(1).fireAt(), 2).stream().map(PastFire::fire))
                .containsExactly(all.get(2), all.get(3));
        retain(HOUR.plus(Duration.ofMinutes(30)));
        assertThat(fires("a")).containsExactly(all.get(0), all.get(1));
    }

    @Nested
    class ByHand {
        @Test
        void a_trigger_creates_a_job_now_and_does_not_count() {
            ScheduleSpec hourly = hourly("a");
            Schedule before =
                    create(with(hourly, new Timetable(hourly.timetable().timing(), null, null, 1, Duration.ZERO)));
            Fire fire = schedules().trigger("a", "anna");
            Fire another = schedules().trigger("a", null);
            assertThat(fire.cause()).isEqualTo(Fire.Cause.TRIGGERED);
            assertThat(another.fireAt()).isAfter(fire.fireAt());
            Job job = look(present(fire.jobId()));
            assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
            assertThat(job.spec().createdBy()).isEqualTo("anna");
            assertThat(job.spec().schedule()).isEqualTo(new ScheduleFire("a", fire.fireAt()));
            Schedule after = schedule("a");
            assertThat(after.runs()).isZero();
            assertThat(after.nextRunAt()).isEqualTo(before.nextRunAt());
            assertThat(after.lastJobId()).isEqualTo(another.jobId());
            assertThat(fires("a")).hasSize(2);
        }

        @Test
        void a_trigger_works_while_paused() {
            create(hourly("a"));
            schedules().pause("a", null, null);
            assertThat(schedules().trigger("a", null).jobId()).isNotNull();
            assertThat(schedule("a").enabled()).isFalse();
        }

        @Test
        void a_backfill_creates_the_jobs_of_missed_fire_times_one_after_the_other() {
            Schedule before = create(hourly("a"));
            Instant first = present(before.nextRunAt());
            advance(HOUR.plus(SECOND));
            fireDue();
            List<Instant> times = List.of(first.minus(HOUR.multipliedBy(2)), first.minus(HOUR), first);
            List<Fire> made = schedules().backfill("a", times, Duration.ofMinutes(1), "anna");
            assertThat(made.stream().map(Fire::fireAt)).containsExactly(times.get(0), times.get(1));
            assertThat(made).allMatch(fire -> fire.cause() == Fire.Cause.BACKFILLED);
            Job one = look(present(made.get(0).jobId()));
            Job two = look(present(made.get(1).jobId()));
            assertThat(one.status()).isEqualTo(JobStatus.QUEUED);
            assertThat(two.status()).isEqualTo(JobStatus.SCHEDULED);
            assertThat(Duration.between(one.times().runAt(), two.times().runAt()))
                    .isBetween(Duration.ofSeconds(59), Duration.ofSeconds(60));
            assertThat(schedule("a").runs()).isEqualTo(1);
            assertThat(schedules().backfill("a", times, SECOND, null)).isEmpty();
        }

        @Test
        void a_backfill_repeats_fires_that_created_no_job() {
            Schedule before = create(with(hourly("a"), Overlap.SKIP));
            advance(HOUR);
            fireDue();
            claimNext();
            advance(HOUR);
            Fire skipped = fireDue().fires().get(0);
            assertThat(skipped.jobId()).isNull();
            List<Instant> times = List.of(present(before.nextRunAt()), skipped.fireAt());
            List<Fire> made = schedules().backfill("a", times, SECOND, null);
            assertThat(made).hasSize(1);
            assertThat(made.get(0).fireAt()).isEqualTo(skipped.fireAt());
            assertThat(fires("a").stream().map(Fire::outcome))
                    .containsExactly(Fire.Outcome.CREATED, Fire.Outcome.CREATED);
            assertThat(schedules().backfill("a", times, SECOND, null)).isEmpty();
        }

        @Test
        void a_backfilled_fire_time_does_not_fire_again() {
            Schedule before = create(hourly("a"));
            advance(HOUR.plus(SECOND));
            schedules().backfill("a", List.of(present(before.nextRunAt())), SECOND, null);
            assertThat(schedule("a").version())
                    .as("a concurrent pass notices it")
                    .isGreaterThan(before.version());
            Pass fired = fireDue();
            assertThat(fired.schedules()).isEqualTo(1);
            assertThat(fired.fires()).isEmpty();
            assertThat(schedule("a").nextRunAt()).isAfter(now());
            assertThat(jobs()).hasSize(1);
        }
    }
}
