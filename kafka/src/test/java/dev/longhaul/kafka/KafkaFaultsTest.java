package dev.longhaul.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.JobId;
import dev.longhaul.kafka.IntakeSettings.Bounds;
import dev.longhaul.testing.Brokers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Brokers are killed while callers append. */
@Tag("full")
@Isolated("measures how long callers wait")
@Timeout(240)
class KafkaFaultsTest {
    private static final int CALLERS = 8;
    private static final Duration DELIVERY = Duration.ofSeconds(4);

    /** Callers that append one record after the other until they are closed. */
    private static final class Callers implements AutoCloseable {
        private final Map<IntakePosition, IntakeRecord> acknowledged = new ConcurrentHashMap<>();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicLong longestNanos = new AtomicLong();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        private final KafkaIntake intake;
        private final AtomicInteger unexpected = new AtomicInteger();

        Callers(KafkaIntake intake) {
            this.intake = intake;
            for (int i = 0; i < CALLERS; i++) {
                threads.execute(this::repeat);
            }
        }

        private void repeat() {
            while (!ended.get()) {
                IntakeRecord record = KafkaIntakeTest.create(JobId.next());
                long began = System.nanoTime();
                try {
                    acknowledged.put(intake.append(List.of(record)).get(0), record);
                } catch (LonghaulException e) {
                    refused.incrementAndGet();
                    if (e.code() != ErrorCode.UNAVAILABLE) {
                        unexpected.incrementAndGet();
                    }
                }
                longestNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
            }
        }

        void awaitAcknowledged(int more) throws InterruptedException {
            int target = acknowledged.size() + more;
            while (acknowledged.size() < target) {
                new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
            }
        }

        void awaitRefused() throws InterruptedException {
            while (refused.get() == 0) {
                new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
            }
        }

        Duration longest() {
            return Duration.ofNanos(longestNanos.get());
        }

        void end() {
            ended.set(true);
            threads.shutdown();
            try {
                assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            end();
        }
    }

    /** Everything that was acknowledged is read, at its position; reads until all of it was. */
    private static void assertNothingLost(IntakeSettings settings, Callers callers) {
        Map<IntakePosition, IntakeRecord> missing = new HashMap<>(callers.acknowledged);
        try (var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
            int empty = 0;
            while (!missing.isEmpty() && empty < 20) {
                List<IntakeLog.Entry> entries = log.poll(Duration.ofSeconds(1));
                empty = entries.isEmpty() ? empty + 1 : 0;
                entries.forEach(entry -> missing.remove(entry.position(), entry.record()));
            }
        }
        assertThat(missing).isEmpty();
        assertThat(callers.unexpected).hasValue(0);
    }

    @Test
    void a_killed_broker_loses_no_acknowledged_record_and_callers_are_refused_in_time() throws Exception {
        try (Brokers brokers = Brokers.start(1)) {
            IntakeSettings settings = KafkaIntakeTest.settings(brokers)
                    .withBounds(new Bounds(DELIVERY, Bounds.USUAL.age(), Bounds.USUAL.records()));
            try (var intake = KafkaIntake.open(settings);
                    var callers = new Callers(intake)) {
                callers.awaitAcknowledged(500);
                brokers.kill(0);
                callers.awaitRefused();
                brokers.restart(0);
                callers.awaitAcknowledged(500);
                callers.end();
                assertNothingLost(settings, callers);
                assertThat(callers.longest()).isLessThan(DELIVERY.plusSeconds(4));
            }
        }
    }

    @Test
    void one_of_three_brokers_is_killed_and_no_caller_is_refused() throws Exception {
        try (Brokers brokers = Brokers.start(3)) {
            IntakeSettings settings = KafkaIntakeTest.settings(brokers).withUnsafe(false);
            try (var intake = KafkaIntake.open(settings);
                    var callers = new Callers(intake)) {
                callers.awaitAcknowledged(500);
                brokers.kill(0);
                callers.awaitAcknowledged(2000);
                callers.end();
                assertNothingLost(settings, callers);
                assertThat(callers.refused).hasValue(0);
                System.out.println("longest stall with one of three brokers killed: "
                        + callers.longest().toMillis() + " ms");
            }
            brokers.restart(0);
            belowItsMinimum(brokers);
        }
    }

    /** All three replicas are required here, so the cluster still has a quorum when they are too few. */
    private static void belowItsMinimum(Brokers brokers) throws Exception {
        IntakeSettings settings = KafkaIntakeTest.settings(brokers)
                .withUnsafe(false)
                .withBounds(new Bounds(DELIVERY, Bounds.USUAL.age(), Bounds.USUAL.records()));
        try (Admin admin = settings.cluster().admin()) {
            admin.createTopics(List.of(new NewTopic(settings.topics().intake(), Optional.of(3), Optional.of((short) 3))
                            .configs(Map.of(
                                    "message.timestamp.type", "LogAppendTime",
                                    "min.insync.replicas", "3"))))
                    .all()
                    .get();
        }
        try (var intake = KafkaIntake.open(settings)) {
            intake.append(List.of(KafkaIntakeTest.create(JobId.next())));
            brokers.kill(1);
            String refusal = "";
            while (!refusal.contains("has 2 replicas in sync (expected: >= 3)")) {
                refusal = refusal(intake);
            }
            brokers.restart(1);
            while (!refusal.isEmpty()) {
                refusal = refusal(intake);
            }
        }
    }

    /** Why a record is refused; empty when it is accepted. */
    private static String refusal(KafkaIntake intake) {
        try {
            intake.append(List.of(KafkaIntakeTest.create(JobId.next())));
            return "";
        } catch (LonghaulException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            return String.valueOf(e.getMessage());
        }
    }
}
