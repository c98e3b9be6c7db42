package dev.longhaul.kafka;

import dev.longhaul.intake.Intake;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Appends records to a topic. A record is durable once enough replicas have it. Threads may share an intake. */
public final class KafkaIntake implements Intake {
    /** Readers of jobs wait for the ends of partitions. */
    private static final int ENDS_MILLIS = 1000;

    private static final Duration TO_CLOSE = Duration.ofSeconds(5);

    private final String topic;
    private final int partitions;
    private final Admin admin;
    private final KafkaProducer<String, byte[]> producer;
    private final IntakeWatch watch;

    private KafkaIntake(IntakeSettings settings, Admin admin, IntakeTopics.Found found) {
        this.topic = settings.topics().intake();
        this.partitions = found.partitions();
        this.admin = admin;
        this.producer = settings.producer();
        this.watch = new IntakeWatch(admin, settings, found.minInSync());
    }

    /**
     * Connects, and creates the topics if they do not exist. Throws {@link dev.longhaul.error.LonghaulException}: {@code
     * failed_precondition} if a topic could lose acknowledged records, {@code unavailable} if no broker responds.
     */
    public static KafkaIntake open(IntakeSettings settings) {
        Admin admin = settings.cluster().admin();
        try {
            return new KafkaIntake(settings, admin, IntakeTopics.open(admin, settings));
        } catch (RuntimeException | Error e) {
            admin.close(Duration.ZERO);
            throw e;
        }
    }

    @Override
    public List<IntakePosition> append(List<IntakeRecord> records) {
        watch.check();
        List<ProducerRecord<String, byte[]>> encoded = records.stream()
                .map(record -> new ProducerRecord<>(
                        topic, partitionOf(record.id()), record.id().toString(), RecordJson.write(record)))
                .toList();
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>(encoded.size());
            for (ProducerRecord<String, byte[]> record : encoded) {
                Future<RecordMetadata> one = producer.send(record);
                if (one.isDone()) {
                    // Throws if no broker is known: each further record would wait for one too.
                    KafkaFailures.result(one, "intake: appending");
                }
                sent.add(one);
            }
            List<IntakePosition> positions = new ArrayList<>(encoded.size());
            for (Future<RecordMetadata> one : sent) {
                RecordMetadata stored = KafkaFailures.result(one, "intake: appending");
                positions.add(new IntakePosition(stored.partition(), stored.offset()));
            }
            return positions;
        } catch (KafkaException e) {
            throw KafkaFailures.of("intake: appending", e);
        }
    }

    /** Does not follow a change of the number of partitions while the intake is open. */
    @Override
    public int partitionOf(JobId id) {
        return Math.floorMod(id.value().hashCode(), partitions);
    }

    @Override
    public Map<Integer, Long> ends() {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            request.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        var found = KafkaFailures.result(
                admin.listOffsets(request, new ListOffsetsOptions().timeoutMs(ENDS_MILLIS))
                        .all(),
                "intake: reading the ends of partitions");
        Map<Integer, Long> ends = new HashMap<>();
        found.forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
        return ends;
    }

    /** The number of records that writers have not stored yet, at most a few seconds ago. */
    public long behind() {
        return watch.behind();
    }

    @Override
    public void close() {
        watch.close();
        producer.close(TO_CLOSE);
        admin.close(TO_CLOSE);
    }
}
