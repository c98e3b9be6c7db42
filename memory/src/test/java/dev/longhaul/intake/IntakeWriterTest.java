package dev.longhaul.intake;

import static dev.longhaul.intake.Deferring.aJob;
import static dev.longhaul.intake.Deferring.rename;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobQuery;
import dev.longhaul.access.Actor;
import dev.longhaul.contract.InterceptedStore.Interception;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IntakeWriterTest {
    private final Deferring it = new Deferring();

    @AfterEach
    void close() {
        it.close();
    }

    private List<Job> all() {
        return it.store.jobs().list(JobQuery.where().limit(500).build()).jobs();
    }

    private List<EventType> story(JobId id) {
        return it.store.jobs().events(EventQuery.of(id)).stream()
                .map(JobEvent::type)
                .toList();
    }

    @Test
    void stores_jobs_and_changes_in_order_and_commits() {
        JobSpec spec = aJob().build();
        it.append(spec);
        it.append(rename(spec.id(), "first"));
        it.append(rename(spec.id(), "second"));
        it.append(JobCommand.cancel(spec.id(), "anna", "not needed", null));

        it.drain();

        assertThat(it.look(spec.id()).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(it.look(spec.id()).spec().name()).isEqualTo("second");
        assertThat(story(spec.id()))
                .containsExactly(EventType.CREATED, EventType.EDITED, EventType.EDITED, EventType.CANCELLED);
        assertThat(it.intake.committed()).containsEntry(it.intake.partitionOf(spec.id()), 4L);
        assertThat(it.intake.parked()).isEmpty();
    }

    @Test
    void executes_changes_on_behalf_of_their_callers() {
        JobSpec spec = aJob().build();
        it.append(spec);
        it.intake.append(List.of(new IntakeRecord.Change(rename(spec.id(), "a"), Actor.named("anna"))));
        it.append(rename(spec.id(), "b"));

        it.drain();

        assertThat(it.store.access().audit(null, 10))
                .singleElement()
                .satisfies(entry -> assertThat(entry.actor()).isEqualTo("anna"));
    }

    // A writer is killed before or after each of its calls, and another one continues.

    @Test
    void a_writer_killed_at_any_step_loses_and_repeats_nothing() {
        int steps = 0;
        for (boolean killed = true; killed; steps++) {
            boolean before = killedAtStep(steps, true);
            killed = killedAtStep(steps, false) || before;
        }
        // Take over, insert, aliases, three changes, progress: more steps than these would be fine, fewer not.
        assertThat(steps).isGreaterThan(7);
    }

    private static boolean killedAtStep(int step, boolean before) {
        try (var it = new Deferring()) {
            JobSpec one = aJob().build();
            JobSpec two = it.aJobIn(1).idempotencyKey("k").build();
            JobSpec three = it.aJobIn(1).idempotencyKey("k").build();
            JobSpec poison = aJob().id(new JobId(new Uuid7(() -> 0).next())).build();
            it.append(one, two, three, poison);
            it.append(rename(one.id(), "first"));
            it.append(rename(one.id(), "second"));
            it.append(JobCommand.cancel(three.id(), "anna", null, null));

            boolean killed = killedWhileDraining(it, step, before);
            it.drain();

            assertThat(it.store.jobs().list(JobQuery.ALL).jobs())
                    .extracting(Job::id)
                    .as("killed at step %s", step)
                    .containsExactlyInAnyOrder(one.id(), two.id());
            assertThat(it.look(one.id()).spec().name()).isEqualTo("second");
            assertThat(it.server.jobs().find(three.id())).map(Job::id).contains(two.id());
            assertThat(it.look(two.id()).status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(it.intake.parked())
                    .isNotEmpty()
                    .allSatisfy(parked ->
                            assertThat(parked.entry().record()).isEqualTo(new IntakeRecord.Create(poison, null)));
            return killed;
        }
    }

    private static boolean killedWhileDraining(Deferring it, int step, boolean before) {
        var calls = new AtomicInteger();
        Interception kill = (method, arguments, call) -> {
            boolean now = calls.getAndIncrement() == step;
            if (now && before) {
                throw new OutOfMemoryError("killed");
            }
            Object result = call.goOn();
            if (now) {
                throw new OutOfMemoryError("killed");
            }
            return result;
        };
        var writer = it.writer();
        it.fault = kill;
        try {
            while (!it.drained()) {
                writer.runOnce();
            }
            return false;
        } catch (OutOfMemoryError e) {
            return true;
        } finally {
            it.fault = null;
            writer.close();
        }
    }

    @Test
    @SuppressWarnings("try") // The writer runs until it is closed.
    void a_running_writer_survives_errors() {
        var failures = new AtomicInteger(3);
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("insert") && failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no memory");
            }
            return call.goOn();
        };
        JobSpec spec = aJob().build();
        long failed = Loops.failures("intake-writer");

        try (var writer = IntakeWriter.start(it.failing, it.intake::join)) {
            it.append(spec);
            awaitDrained();
        }

        assertThat(it.look(spec.id()).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(Loops.failures("intake-writer") - failed).isEqualTo(3);
    }

    private void awaitDrained() {
        while (!it.drained()) {
            Thread.onSpinWait();
        }
    }

    // Rejected records

    @Test
    void a_poison_record_among_500_is_parked_alone() {
        List<JobSpec> good =
                IntStream.range(0, 499).mapToObj(i -> aJob().build()).toList();
        var specs = new ArrayList<>(good);
        JobSpec poison = aJob().id(new JobId(new Uuid7(() -> 0).next())).build();
        specs.add(217, poison);
        it.append(specs.toArray(JobSpec[]::new));

        it.drain();

        assertThat(all())
                .extracting(Job::id)
                .containsExactlyInAnyOrderElementsOf(
                        good.stream().map(JobSpec::id).toList());
        assertThat(it.intake.parked()).singleElement().satisfies(parked -> {
            assertThat(parked.entry().record()).isEqualTo(new IntakeRecord.Create(poison, null));
            assertThat(parked.reason()).startsWith("invalid_argument: jobId: ");
        });
    }

    @Test
    void a_record_that_makes_the_store_fail_again_and_again_is_parked_alone() {
        JobSpec poison = aJob().name("poison").build();
        JobSpec good = aJob().build();
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("insert") && ((List<?>) arguments[0]).contains(poison)) {
                throw new LonghaulException(ErrorCode.INTERNAL, "cannot store it");
            }
            return call.goOn();
        };
        it.append(poison, good);
        var writer = it.writer();

        int failed = 0;
        while (!it.drained()) {
            try {
                writer.runOnce();
            } catch (LonghaulException e) {
                failed++;
            }
        }

        assertThat(failed).isGreaterThan(3);
        assertThat(all()).extracting(Job::id).containsExactly(good.id());
        assertThat(it.intake.parked())
                .singleElement()
                .satisfies(parked -> assertThat(parked.reason()).isEqualTo("internal: cannot store it"));
    }

    @Test
    void changes_that_the_state_of_the_job_forbids_are_parked() {
        JobSpec spec = aJob().build();
        JobId unknown = JobId.next();
        it.append(spec);
        it.append(JobCommand.cancel(spec.id(), null, null, null));
        it.append(rename(spec.id(), "late"));
        it.append(rename(unknown, "nothing"));

        it.drain();

        assertThat(it.intake.parked())
                .extracting(parked -> parked.reason().replaceAll(":.*", ""))
                .containsExactlyInAnyOrder("failed_precondition", "not_found");
    }

    @Test
    void bytes_that_are_not_a_record_are_parked() {
        it.intake.appendUnreadable(2, new byte[] {1, 2});

        it.drain();

        assertThat(it.intake.parked())
                .singleElement()
                .satisfies(parked -> assertThat(parked.entry().raw()).containsExactly(1, 2));
    }

    // Outages

    @Test
    void repeats_the_same_batch_until_the_store_is_available_again() {
        JobSpec spec = aJob().build();
        var writer = it.writer();
        it.append(spec);
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("insert")) {
                throw new LonghaulException(ErrorCode.UNAVAILABLE, "down");
            }
            return call.goOn();
        };
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(writer::runOnce).hasMessage("down");
        }
        it.fault = null;

        writer.runOnce();

        assertThat(it.drained()).isTrue();
        assertThat(all()).extracting(Job::id).containsExactly(spec.id());
        assertThat(it.intake.parked()).isEmpty();
    }

    @Test
    void gets_its_partitions_once_the_store_is_available() {
        JobSpec spec = aJob().build();
        it.storeIsAvailable(false);
        var writer = it.writer();
        it.append(spec);
        assertThatThrownBy(writer::runOnce).hasMessage("database unavailable");

        it.storeIsAvailable(true);
        writer.runOnce();

        assertThat(all()).extracting(Job::id).containsExactly(spec.id());
    }

    @Test
    void delays_count_from_when_the_job_was_accepted() {
        Instant accepted = it.clock.instant();
        JobSpec soon = aJob().runTime(RunAt.after(Duration.ofMinutes(10))).build();
        JobSpec later = aJob().runTime(RunAt.after(Duration.ofHours(3))).build();
        JobSpec edited = aJob().runTime(RunAt.after(Duration.ofHours(5))).build();
        it.append(soon, later, edited);
        it.append(JobCommand.edit(edited.id(), null, JobEdit.runTime(RunAt.after(Duration.ofHours(2)))));
        it.clock.advance(Duration.ofHours(1));

        it.drain();

        assertThat(it.look(soon.id()).times().runAt()).isEqualTo(it.clock.instant());
        assertThat(it.look(later.id()).times().runAt()).isEqualTo(accepted.plus(Duration.ofHours(3)));
        assertThat(it.look(edited.id()).times().runAt()).isEqualTo(accepted.plus(Duration.ofHours(2)));
    }

    @Test
    void records_may_be_30_hours_old() {
        Instant accepted = Instant.now().minus(Duration.ofHours(30));
        JobSpec old =
                aJob().id(new JobId(new Uuid7(accepted::toEpochMilli).next())).build();
        it.append(old);

        it.drain();

        assertThat(it.look(old.id()).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(it.intake.parked()).isEmpty();
    }

    // Idempotency keys

    @Test
    void of_two_deferred_jobs_with_one_key_the_second_is_an_alias_of_the_first() {
        JobSpec stored = aJob().idempotencyKey("old").build();
        it.insert(stored);
        JobSpec first = aJob().idempotencyKey("new").build();
        JobSpec second = aJob().idempotencyKey("new").build();
        JobSpec third = aJob().idempotencyKey("old").build();
        it.append(first);
        it.drain();
        it.append(second, third);
        it.append(rename(second.id(), "changed by alias"));

        it.drain();

        assertThat(all()).extracting(Job::id).containsExactlyInAnyOrder(stored.id(), first.id());
        assertThat(it.server.jobs().find(second.id())).map(Job::id).contains(first.id());
        assertThat(it.server.jobs().find(third.id())).map(Job::id).contains(stored.id());
        assertThat(it.look(first.id()).spec().name()).isEqualTo("changed by alias");
        it.server.jobs().execute(JobCommand.cancel(third.id(), "anna", null, null));
        assertThat(it.look(stored.id()).status()).isEqualTo(JobStatus.CANCELLED);
    }

    // Several writers

    @Test
    void a_rebalance_in_mid_batch_loses_and_repeats_nothing() {
        List<JobSpec> specs =
                IntStream.range(0, 100).mapToObj(i -> aJob().build()).toList();
        it.append(specs.toArray(JobSpec[]::new));
        specs.forEach(spec -> it.append(rename(spec.id(), "first")));
        specs.forEach(spec -> it.append(rename(spec.id(), "second")));
        var slow = it.writer();
        var joined = new ArrayList<IntakeWriter>();
        // While the first writer executes its changes, a second one joins, takes half of the partitions over and drains
        // them.
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("execute") && joined.isEmpty()) {
                joined.add(it.writer());
                it.fault = null;
                joined.get(0).runOnce();
            }
            return call.goOn();
        };

        while (!it.drained()) {
            slow.runOnce();
            joined.forEach(IntakeWriter::runOnce);
        }

        assertThat(joined).hasSize(1);
        assertThat(all()).hasSize(100);
        assertThat(all()).extracting(job -> job.spec().name()).containsOnly("second");
        assertThat(it.intake.parked()).isEmpty();
    }

    @Test
    void a_writer_that_lost_a_partition_during_an_outage_does_not_store_its_batch() {
        JobSpec spec = it.aJobIn(1).build();
        var first = it.writer();
        it.append(spec);
        it.append(rename(spec.id(), "old"));
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("execute")) {
                throw new LonghaulException(ErrorCode.UNAVAILABLE, "down");
            }
            return call.goOn();
        };
        assertThatThrownBy(first::runOnce).hasMessage("down");
        it.fault = null;
        var second = it.writer();
        second.runOnce();
        it.append(rename(spec.id(), "new"));
        second.runOnce();

        first.runOnce();

        assertThat(it.drained()).isTrue();
        assertThat(it.look(spec.id()).spec().name()).isEqualTo("new");
    }
}
