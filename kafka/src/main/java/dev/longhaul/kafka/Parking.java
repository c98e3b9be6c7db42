package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Writes rejected records to the parked topic, and back. The key is the record's position in the intake's topic, so that
 * parking a record twice, as after a lost response, keeps one.
 */
final class Parking implements AutoCloseable {
    static final String REASON = "reason";
    static final String JOB = "job";
    static final String APPENDED_AT = "appended-at";

    private static final Duration TO_CLOSE = Duration.ofSeconds(5);

    private final IntakeSettings settings;
    private final KafkaProducer<String, byte[]> producer;

    Parking(IntakeSettings settings) {
        this.settings = settings;
        this.producer = settings.producer();
    }

    static String key(IntakePosition position) {
        return position.partition() + "/" + position.offset();
    }

    static IntakePosition position(String key) {
        int slash = key.indexOf('/');
        return new IntakePosition(Integer.parseInt(key.substring(0, slash)), Long.parseLong(key.substring(slash + 1)));
    }

    /** Returns once the entry is durable. */
    void park(IntakeLog.Entry entry, String reason) {
        var parked = new ProducerRecord<>(settings.topics().parked(), key(entry.position()), entry.raw());
        header(parked, REASON, reason);
        header(parked, APPENDED_AT, entry.appendedAt().toString());
        IntakeRecord record = entry.record();
        if (record != null) {
            header(parked, JOB, record.id().toString());
        }
        send(List.of(parked), "parking");
    }

    private static void header(ProducerRecord<String, byte[]> record, String name, String value) {
        record.headers().add(name, value.getBytes(UTF_8));
    }

    /** Appends the records to the intake again, then removes them from the parked topic. */
    void replay(Collection<ParkedRecords.Parked> records) {
        send(
                records.stream()
                        .map(parked -> new ProducerRecord<>(
                                settings.topics().intake(), parked.position().partition(), job(parked), parked.raw()))
                        .toList(),
                "replaying");
        remove(records);
    }

    private static @Nullable String job(ParkedRecords.Parked parked) {
        IntakeRecord record = parked.record();
        return record == null ? null : record.id().toString();
    }

    void remove(Collection<ParkedRecords.Parked> records) {
        send(
                records.stream()
                        .map(parked -> new ProducerRecord<String, byte[]>(
                                settings.topics().parked(), key(parked.position()), null))
                        .toList(),
                "removing parked records");
    }

    private void send(List<ProducerRecord<String, byte[]>> records, String action) {
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (ProducerRecord<String, byte[]> record : records) {
                sent.add(producer.send(record));
            }
            for (Future<RecordMetadata> one : sent) {
                RecordMetadata stored = KafkaFailures.result(one, "intake: " + action);
                assert stored.hasOffset();
            }
        } catch (KafkaException e) {
            throw KafkaFailures.of("intake: " + action, e);
        }
    }

    @Override
    public void close() {
        producer.close(TO_CLOSE);
    }
}
