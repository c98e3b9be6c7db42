package dev.longhaul.kafka;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of the intake's topic for one writer, in the consumer group of all writers. A partition is read only
 * after the store has returned where to start ({@link IntakeLog.Assignment}); until then it is paused. The offsets that are
 * committed in Kafka only show operators and the intake how far the writers are.
 */
public final class KafkaIntakeLog implements IntakeLog {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaIntakeLog.class);
    private static final int BATCH = 1000;
    /** How long the partitions of a killed writer wait for another one. */
    private static final int SESSION_MILLIS = 10_000;
    /** Members learn from heartbeats that partitions move. */
    private static final int HEARTBEAT_MILLIS = 1000;
    /** A partition that was assigned during a poll is read after that. */
    private static final Duration SLICE = Duration.ofMillis(200);

    private static final Duration CALL = Duration.ofSeconds(5);

    private final String topic;
    private final Assignment assignment;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Parking parking;
    /** Assigned by Kafka; the store has not returned yet where to start. */
    private final Set<TopicPartition> unplaced = new HashSet<>();
    /** Reported by the writer and not known to be committed in Kafka. */
    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();

    private boolean committing;

    private KafkaIntakeLog(IntakeSettings settings, Assignment assignment) {
        this.topic = settings.topics().intake();
        this.assignment = assignment;
        this.parking = new Parking(settings);
        // Rebalances by the members: only with that protocol the client, not the broker, sets the session timeout.
        this.consumer = new KafkaConsumer<>(
                settings.cluster()
                        .settings(Map.of(
                                "group.id",
                                settings.writers(),
                                "group.protocol",
                                "classic",
                                "partition.assignment.strategy",
                                CooperativeStickyAssignor.class.getName(),
                                "session.timeout.ms",
                                SESSION_MILLIS,
                                "heartbeat.interval.ms",
                                HEARTBEAT_MILLIS,
                                "enable.auto.commit",
                                false,
                                "auto.offset.reset",
                                "earliest",
                                "max.poll.records",
                                BATCH)),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic), new Rebalances());
    }

    /**
     * Joins the writers. Throws {@link LonghaulException} like {@link KafkaIntake#open}.
     *
     * @param assignment notified in the thread that polls
     */
    public static KafkaIntakeLog open(IntakeSettings settings, Assignment assignment) {
        try (Admin admin = settings.cluster().admin()) {
            IntakeTopics.open(admin, settings);
        }
        return new KafkaIntakeLog(settings, assignment);
    }

    private final class Rebalances implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            // The store may be unavailable, and an exception here would not repeat the call.
            unplaced.addAll(partitions);
            consumer.pause(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            var last = new HashMap<>(uncommitted);
            last.keySet().retainAll(partitions);
            commitNow(last);
            onPartitionsLost(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            Set<TopicPartition> placed = new HashSet<>(partitions);
            placed.removeAll(unplaced);
            unplaced.removeAll(partitions);
            uncommitted.keySet().removeAll(partitions);
            if (!placed.isEmpty()) {
                assignment.lost(numbers(placed));
            }
        }
    }

    @Override
    public List<Entry> poll(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        do {
            place();
            consumer.resume(placed());
            long left = Math.max(0, end - System.nanoTime());
            List<Entry> entries = poll(Math.min(left, SLICE.toNanos()));
            if (!entries.isEmpty()) {
                return entries;
            }
        } while (System.nanoTime() < end);
        return List.of();
    }

    private List<Entry> poll(long nanos) {
        commitAgain();
        try {
            List<Entry> entries = new ArrayList<>();
            for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofNanos(nanos))) {
                entries.add(entry(record));
            }
            return entries;
        } catch (KafkaException e) {
            throw KafkaFailures.of("intake: reading", e);
        } catch (RuntimeException | Error e) {
            // The consumer has advanced past records that are not returned: start where the store ends.
            unplaced.addAll(consumer.assignment());
            consumer.pause(unplaced);
            throw e;
        }
    }

    private static Entry entry(ConsumerRecord<String, byte[]> record) {
        var position = new IntakePosition(record.partition(), record.offset());
        byte @Nullable [] value = record.value();
        byte[] raw = value == null ? new byte[0] : value;
        return new Entry(position, Instant.ofEpochMilli(record.timestamp()), readable(position, raw), raw);
    }

    private static @Nullable IntakeRecord readable(IntakePosition position, byte[] raw) {
        try {
            return RecordJson.read(raw);
        } catch (LonghaulException e) {
            LOG.warn("intake: record {} of partition {}: {}", position.offset(), position.partition(), e.getMessage());
            return null;
        }
    }

    private Set<TopicPartition> placed() {
        Set<TopicPartition> placed = new HashSet<>(consumer.assignment());
        placed.removeAll(unplaced);
        return placed;
    }

    /** Starts new partitions where the store ends. If the store is unavailable, the next poll tries again. */
    private void place() {
        if (unplaced.isEmpty()) {
            return;
        }
        try {
            Set<TopicPartition> added = Set.copyOf(unplaced);
            Map<TopicPartition, Long> starts = consumer.beginningOffsets(added, CALL);
            Map<TopicPartition, Long> ends = consumer.endOffsets(added, CALL);
            Map<Integer, Long> stored = assignment.assigned(numbers(added));
            for (TopicPartition partition : added) {
                long next = start(
                        partition,
                        Objects.requireNonNull(stored.get(partition.partition())),
                        Objects.requireNonNull(starts.get(partition)),
                        Objects.requireNonNull(ends.get(partition)));
                consumer.seek(partition, next);
                uncommitted.put(partition, new OffsetAndMetadata(next));
            }
            unplaced.removeAll(added);
        } catch (LonghaulException e) {
            keepAlive();
            throw e;
        } catch (KafkaException e) {
            keepAlive();
            throw KafkaFailures.of("intake: reading offsets", e);
        }
    }

    private static long start(TopicPartition partition, long stored, long first, long end) {
        if (stored > end) {
            LOG.error(
                    "intake: {} is stored up to offset {} but ends at {}: the topic was deleted and created again; reading it"
                            + " from its start",
                    partition,
                    stored,
                    end);
            return first;
        }
        if (stored > 0 && stored < first) {
            LOG.error(
                    "intake: {} lost the records {} to {}: retention deleted them before they were stored",
                    partition,
                    stored,
                    first - 1);
        }
        return Math.max(stored, first);
    }

    private static Set<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toSet());
    }

    @Override
    public void keepAlive() {
        consumer.pause(consumer.assignment());
        List<Entry> none = poll(SLICE.toNanos());
        if (!none.isEmpty()) {
            throw new IllegalStateException("paused partitions returned " + none.size() + " records");
        }
    }

    @Override
    public void commit(Map<Integer, Long> nextOffsets) {
        nextOffsets.forEach((partition, offset) ->
                uncommitted.put(new TopicPartition(topic, partition), new OffsetAndMetadata(offset)));
        uncommitted.keySet().retainAll(consumer.assignment());
        commitAgain();
    }

    private void commitAgain() {
        if (committing || uncommitted.isEmpty()) {
            return;
        }
        committing = true;
        consumer.commitAsync(Map.copyOf(uncommitted), (offsets, failure) -> {
            committing = false;
            if (failure == null) {
                uncommitted.entrySet().removeAll(offsets.entrySet());
            } else {
                LOG.debug("intake: offsets not committed; retrying with the next poll: {}", failure.getMessage());
            }
        });
    }

    private void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!offsets.isEmpty()) {
            try {
                consumer.commitSync(offsets, CALL);
            } catch (KafkaException e) {
                LOG.debug("intake: offsets not committed; the next writer commits them: {}", e.getMessage());
            }
        }
    }

    @Override
    public void park(Entry entry, String reason) {
        parking.park(entry, reason);
    }

    @Override
    public void close() {
        commitNow(uncommitted);
        consumer.close(CloseOptions.timeout(CALL));
        parking.close();
    }
}
