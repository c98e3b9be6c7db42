package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The records that the store rejected, for operators: list them with their reasons, replay them after fixing the cause, or
 * discard them. Used by one thread. Every call reads the whole topic, so that it needs no state of its own.
 */
public final class ParkedRecords implements AutoCloseable {
    private static final Duration CALL = Duration.ofSeconds(10);

    private final IntakeSettings settings;
    private final Parking parking;

    /**
     * A rejected record.
     *
     * @param position its place in the intake's topic
     * @param record null if this version cannot read it
     */
    @SuppressWarnings("ArrayRecordComponent") // Parked records are not compared.
    public record Parked(
            IntakePosition position,
            Instant appendedAt,
            Instant parkedAt,
            String reason,
            @Nullable IntakeRecord record,
            byte[] raw) {}

    private ParkedRecords(IntakeSettings settings) {
        this.settings = settings;
        this.parking = new Parking(settings);
    }

    /** Throws {@link LonghaulException} like {@link KafkaIntake#open}. */
    public static ParkedRecords open(IntakeSettings settings) {
        try (Admin admin = settings.cluster().admin()) {
            IntakeTopics.open(admin, settings);
        }
        return new ParkedRecords(settings);
    }

    /** The parked records, the oldest first. */
    public List<Parked> list(int most) {
        return chosen(most, parked -> true);
    }

    /**
     * Appends the chosen records to the intake again, after all records that it has; writers reject them again if the cause
     * is not fixed. If this fails half-way, some records are both appended and still parked: call it again.
     *
     * @return how many
     */
    public int replay(Predicate<Parked> choice) {
        List<Parked> chosen = chosen(Integer.MAX_VALUE, choice);
        parking.replay(chosen);
        return chosen.size();
    }

    /** Removes the chosen records for good; returns how many. */
    public int discard(Predicate<Parked> choice) {
        List<Parked> chosen = chosen(Integer.MAX_VALUE, choice);
        parking.remove(chosen);
        return chosen.size();
    }

    /** Reads the topic twice: a tombstone follows its record, and the contents of all records may not fit into memory. */
    private List<Parked> chosen(int most, Predicate<Parked> choice) {
        Set<String> live = new LinkedHashSet<>();
        scan(record -> {
            if (record.value() == null) {
                live.remove(record.key());
            } else {
                live.add(record.key());
            }
        });
        List<Parked> chosen = new ArrayList<>();
        scan(record -> {
            if (record.value() != null && chosen.size() < most && live.contains(record.key())) {
                Parked parked = parked(record);
                if (choice.test(parked)) {
                    live.remove(record.key());
                    chosen.add(parked);
                }
            }
        });
        return chosen;
    }

    private static Parked parked(ConsumerRecord<String, byte[]> record) {
        @Nullable IntakeRecord readable;
        try {
            readable = RecordJson.read(record.value());
        } catch (LonghaulException e) {
            readable = null;
        }
        return new Parked(
                Parking.position(record.key()),
                Instant.parse(header(record, Parking.APPENDED_AT)),
                Instant.ofEpochMilli(record.timestamp()),
                header(record, Parking.REASON),
                readable,
                record.value());
    }

    private static String header(ConsumerRecord<String, byte[]> record, String name) {
        Header header = Objects.requireNonNull(record.headers().lastHeader(name), name);
        return new String(header.value(), UTF_8);
    }

    private void scan(Consumer<ConsumerRecord<String, byte[]>> reader) {
        Map<String, Object> config =
                settings.cluster().settings(Map.of("enable.auto.commit", false, "auto.offset.reset", "earliest"));
        try (var consumer =
                new KafkaConsumer<String, byte[]>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer
                    .partitionsFor(settings.topics().parked(), CALL)
                    .stream()
                    .map(found -> new TopicPartition(found.topic(), found.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, CALL);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + CALL.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey(), CALL) < end.getValue())) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    reader.accept(record);
                    deadline = System.nanoTime() + CALL.toNanos();
                }
                if (System.nanoTime() > deadline) {
                    throw new TimeoutException("no records within " + CALL.toSeconds() + " s");
                }
            }
        } catch (KafkaException e) {
            throw KafkaFailures.of("intake: reading parked records", e);
        }
    }

    @Override
    public void close() {
        parking.close();
    }
}
