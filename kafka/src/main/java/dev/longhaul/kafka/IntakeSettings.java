package dev.longhaul.kafka;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * Settings of the intake: the same for all processes that append, write or replay.
 *
 * @param unsafe accept topics that can lose acknowledged records when one broker is lost
 */
public record IntakeSettings(KafkaCluster cluster, Topics topics, Bounds bounds, boolean unsafe) {
    public static IntakeSettings of(KafkaCluster cluster) {
        return new IntakeSettings(cluster, Topics.USUAL, Bounds.USUAL, false);
    }

    public IntakeSettings withTopics(Topics other) {
        return new IntakeSettings(cluster, other, bounds, unsafe);
    }

    public IntakeSettings withBounds(Bounds other) {
        return new IntakeSettings(cluster, topics, other, unsafe);
    }

    public IntakeSettings withUnsafe(boolean accepted) {
        return new IntakeSettings(cluster, topics, bounds, accepted);
    }

    KafkaProducer<String, byte[]> producer() {
        return cluster.producer(bounds.delivery);
    }

    /** The consumer group of all writers. */
    String writers() {
        return topics.intake + ".writers";
    }

    /**
     * The topics. They are created if they do not exist.
     *
     * @param intake accepted records
     * @param parked rejected records
     */
    public record Topics(String intake, String parked) {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

        public static final Topics USUAL = new Topics("longhaul.intake", "longhaul.parked");

        public Topics {
            new Problems()
                    .require(NAME.matcher(intake).matches(), "topics.intake", intake, NAME.pattern())
                    .require(NAME.matcher(parked).matches(), "topics.parked", parked, NAME.pattern())
                    .require(!intake.equals(parked), "topics.parked", parked, "another topic than topics.intake")
                    .throwIfAny();
        }
    }

    /**
     * When the intake rejects records.
     *
     * @param delivery how long the brokers may take to acknowledge a record; longer than electing a new leader takes
     * @param age the age of the oldest record that is not stored
     * @param records the number of records that are not stored
     */
    public record Bounds(Duration delivery, Duration age, long records) {
        private static final Duration SHORTEST_DELIVERY = Duration.ofSeconds(1);

        public static final Bounds USUAL = new Bounds(Duration.ofSeconds(20), Duration.ofMinutes(10), 10_000_000);

        public Bounds {
            new Problems()
                    .require(delivery.compareTo(SHORTEST_DELIVERY) >= 0, "delivery", delivery, ">= 1 s")
                    .require(age.compareTo(Duration.ZERO) > 0, "age", age, "> 0")
                    .require(records > 0, "records", records, "> 0")
                    .throwIfAny();
        }
    }
}
