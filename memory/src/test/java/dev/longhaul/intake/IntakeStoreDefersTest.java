package dev.longhaul.intake;

import static dev.longhaul.intake.Deferring.aJob;
import static dev.longhaul.intake.Deferring.rename;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IntakeStoreDefersTest {
    private final Deferring it = new Deferring();

    @AfterEach
    void close() {
        it.close();
    }

    private CommandResult execute(JobCommand command) {
        return it.server.jobs().execute(command);
    }

    private Deferrals deferrals() {
        return it.server.capability(Deferrals.class).orElseThrow();
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void a_request_waits_once_for_a_store_that_is_unavailable() {
        var calls = new AtomicInteger();
        it.fault = (method, arguments, call) -> {
            calls.incrementAndGet();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        };
        assertThatThrownBy(() -> it.server.access().byHash(new byte[32])).isInstanceOf(LonghaulException.class);
        assertThatThrownBy(() -> it.server.catalog().latest("report")).isInstanceOf(LonghaulException.class);
        assertThat(it.insert(aJob().build()).deferred()).isTrue();
        assertThat(calls).hasValue(1);
    }

    @Test
    void the_store_is_writable_while_its_intake_is_available() {
        it.storeIsAvailable(false);
        assertThatThrownBy(it.failing::checkWritable).isInstanceOf(LonghaulException.class);
        it.server.checkWritable();
    }

    @Test
    void stores_directly_while_the_store_is_available() {
        Inserted inserted = it.insert(aJob().build());

        assertThat(inserted.deferred()).isFalse();
        assertThat(it.look(inserted.job().id())).isEqualTo(inserted.job());
        assertThat(it.intake.ends())
                .containsEntry(it.intake.partitionOf(inserted.job().id()), 0L);
    }

    @Test
    void accepts_jobs_while_the_store_is_unavailable() {
        it.storeIsAvailable(false);
        JobSpec now = aJob().idempotencyKey("k").build();
        JobSpec later = aJob().runTime(RunAt.after(Duration.ofHours(1))).build();

        List<Inserted> inserted = it.server.jobs().insert(List.of(now, later));

        assertThat(inserted).extracting(Inserted::deferred).containsOnly(true);
        assertThat(inserted)
                .extracting(one -> one.job().status())
                .containsExactly(JobStatus.QUEUED, JobStatus.SCHEDULED);
        it.storeIsAvailable(true);
        it.drain();
        assertThat(it.look(now.id()).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(it.look(later.id()).status()).isEqualTo(JobStatus.SCHEDULED);
    }

    @Test
    void rejects_an_invalid_job_as_the_store_does() {
        JobSpec odd = aJob().id(new JobId(new Uuid7(() -> 0).next())).build();
        assertThatThrownBy(() -> it.insert(odd)).hasMessageContaining("jobId");
    }

    @Test
    void is_unavailable_when_the_log_is_too() {
        it.storeIsAvailable(false);
        it.intake.available(false);

        assertUnavailable(() -> it.insert(aJob().build()));
        assertUnavailable(() -> execute(JobCommand.cancel(JobId.next(), "anna", null, null)));
    }

    @Test
    void defers_cancels_and_edits_and_no_other_command() {
        JobId id = it.insert(aJob().build()).job().id();
        JobId held = it.insert(aJob().hold(true).build()).job().id();
        it.storeIsAvailable(false);

        assertThat(execute(rename(id, "renamed")).deferred()).isTrue();
        CommandResult cancel = execute(JobCommand.cancel(id, "anna", null, null));
        assertThat(cancel.deferred()).isTrue();
        assertUnavailable(cancel::job);
        // The scheduler repeats its own cancels until the store has executed them.
        assertUnavailable(() -> execute(JobCommand.cancel(held, null, null, null)));
        assertUnavailable(() -> execute(JobCommand.retry(id, null)));
        assertUnavailable(() -> execute(JobCommand.release(held, null)));
        assertUnavailable(() -> execute(JobCommand.hold(id, null)));
        assertUnavailable(() -> execute(JobCommand.runNow(id, null)));

        it.storeIsAvailable(true);
        it.drain();
        assertThat(it.look(id).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(it.look(id).spec().name()).isEqualTo("renamed");
        assertThat(it.look(held).status()).isEqualTo(JobStatus.CREATED);
    }

    @Test
    void keeps_the_order_of_edits_across_an_outage_on_every_server() {
        JobId id = it.insert(aJob().build()).job().id();
        it.storeIsAvailable(false);
        execute(rename(id, "during the outage"));
        it.storeIsAvailable(true);
        try (var another = new IntakeStore(it.failing, it.intake, IntakeMode.UNAVAILABLE)) {
            assertThat(another.jobs().execute(rename(id, "afterwards")).deferred())
                    .isTrue();
            assertThat(it.look(id).spec().name()).isNull();

            it.drain();
            assertThat(it.look(id).spec().name()).isEqualTo("afterwards");

            assertThat(another.jobs().execute(rename(id, "drained")).deferred()).isFalse();
            assertThat(it.look(id).spec().name()).isEqualTo("drained");
        }
        assertThat(it.intake.parked()).isEmpty();
    }

    @Test
    void cancels_a_job_that_is_not_stored_yet() {
        it.storeIsAvailable(false);
        JobId id = it.insert(aJob().build()).job().id();
        it.storeIsAvailable(true);

        assertThat(execute(JobCommand.cancel(id, "anna", null, null)).deferred())
                .isTrue();
        it.drain();

        assertThat(it.look(id).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void reports_whether_an_unknown_job_may_be_stored_later() {
        JobSpec.Builder first = it.aJobIn(2);
        it.storeIsAvailable(false);
        JobId waiting = it.insert(first.build()).job().id();
        it.storeIsAvailable(true);

        assertThat(deferrals().mayBeStoredLater(waiting)).isTrue();
        assertThat(deferrals().partitions()).isEmpty();
        it.drain();

        assertThat(deferrals().mayBeStoredLater(waiting)).isFalse();
        assertThat(deferrals().partitions())
                .hasSize(4)
                .allSatisfy(partition -> assertThat(partition.waiting()).isZero());
        // The last stored record is newer than these ids: records of theirs would have been stored before it.
        it.clock.advance(Duration.ofMinutes(5));
        it.append(it.aJobIn(2).build());
        it.drain();
        it.append(it.aJobIn(2).build());
        assertThat(deferrals().mayBeStoredLater(waiting)).isFalse();
        assertThat(deferrals().partitions().get(2).waiting()).isEqualTo(1);
    }

    @Test
    void tries_the_store_rarely_during_an_outage() {
        var calls = new AtomicInteger();
        it.fault = (method, arguments, call) -> {
            calls.incrementAndGet();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "down");
        };
        long began = System.nanoTime();
        for (int i = 0; i < 200; i++) {
            assertThat(it.insert(aJob().build()).deferred()).isTrue();
        }
        long intervals = Duration.ofNanos(System.nanoTime() - began).toMillis() / 500;

        assertThat(calls.get()).isBetween(1, (int) intervals + 2);
    }

    @Test
    void one_call_at_a_time_tries_a_store_that_does_not_respond() throws Exception {
        var trying = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        it.storeIsAvailable(false);
        assertThat(it.insert(aJob().build()).deferred()).isTrue();
        it.storeIsAvailable(true);
        it.fault = (method, arguments, call) -> {
            trying.countDown();
            release.await();
            return call.goOn();
        };
        var first = new Thread(() -> {
            while (it.insert(aJob().build()).deferred()) {
                Thread.onSpinWait();
            }
        });
        first.start();
        trying.await();

        long until = System.nanoTime() + Duration.ofMillis(700).toNanos();
        while (System.nanoTime() < until) {
            assertThat(it.insert(aJob().build()).deferred()).isTrue();
        }
        release.countDown();
        first.join();

        assertThat(it.insert(aJob().build()).deferred()).isFalse();
    }

    @Test
    void appends_a_job_that_the_store_does_not_answer_in_time_and_stores_it_once() throws Exception {
        var release = new CountDownLatch(1);
        var inserted = new CountDownLatch(1);
        it.fault = (method, arguments, call) -> {
            if (method.getName().equals("insert") && release.getCount() > 0 && isDirect()) {
                release.await();
                Object result = call.goOn();
                inserted.countDown();
                return result;
            }
            return call.goOn();
        };
        JobSpec spec = aJob().idempotencyKey("k").build();
        try (var slow = new IntakeStore(it.failing, it.intake, IntakeMode.SLOW)) {
            assertThat(slow.jobs().insert(List.of(spec)).get(0).deferred()).isTrue();
            it.drain();
            release.countDown();
            inserted.await();
        }

        assertThat(it.look(spec.id()).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(it.server.jobs().find("report", null, "k"))
                .map(job -> job.id())
                .contains(spec.id());
        assertThat(it.intake.parked()).isEmpty();
    }

    private static boolean isDirect() {
        return Thread.currentThread().getName().equals("longhaul-intake-direct");
    }

    @Test
    void always_appends_if_so_configured() {
        JobSpec spec = aJob().build();
        try (var always = new IntakeStore(it.failing, it.intake, IntakeMode.ALWAYS)) {
            assertThat(always.jobs().insert(List.of(spec)).get(0).deferred()).isTrue();
            assertThat(it.store.jobs().find(spec.id())).isEmpty();
            it.drain();
            assertThat(always.jobs().find(spec.id())).isPresent();
        }
    }

    @Test
    void keeps_the_capabilities_of_the_store() {
        assertThat(it.server.capability(IntakeProgress.class)).isPresent();
        assertThat(it.server.capability(FreshInserts.class))
                .isEqualTo(it.store.capability(FreshInserts.class))
                .isEmpty();
        assertThatThrownBy(() -> new IntakeStore(new WithoutIntake(), it.intake, IntakeMode.ALWAYS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static final class WithoutIntake extends MemoryStore {
        @Override
        public <C> Optional<C> capability(Class<C> type) {
            return Optional.empty();
        }
    }
}
