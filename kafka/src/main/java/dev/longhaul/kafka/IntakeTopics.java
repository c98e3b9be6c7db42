package dev.longhaul.kafka;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the topics of the intake, and rejects existing ones that could lose acknowledged records. */
final class IntakeTopics {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeTopics.class);
    private static final int PARTITIONS = 12;
    private static final short REPLICATION = 3;
    private static final int MIN_IN_SYNC = 2;
    private static final String RETENTION_MILLIS = String.valueOf(7L * 24 * 60 * 60 * 1000);
    /** A record has at most 256 KiB of params, twice as many bytes when quoted, and some KiB of other fields. */
    private static final int RECORD_BYTES = 1_000_000;

    private final Admin admin;
    private final IntakeSettings settings;

    private IntakeTopics(Admin admin, IntakeSettings settings) {
        this.admin = admin;
        this.settings = settings;
    }

    /**
     * What appending needs to know of the topic.
     *
     * @param minInSync how many replicas the brokers require to acknowledge a record
     */
    record Found(int partitions, int minInSync) {}

    /** Checks both topics; creates them if they do not exist. */
    static Found open(Admin admin, IntakeSettings settings) {
        var topics = new IntakeTopics(admin, settings);
        topics.checkParked();
        return topics.checkIntake();
    }

    private Found checkIntake() {
        String name = settings.topics().intake();
        TopicDescription topic = describeOrCreate(
                name,
                PARTITIONS,
                Map.of(
                        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                        "LogAppendTime",
                        TopicConfig.RETENTION_MS_CONFIG,
                        RETENTION_MILLIS,
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_DELETE));
        Config config = config(name);
        List<FieldError> problems = problems(name, topic, config);
        String times = value(config, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG);
        require(
                problems,
                times.equals("LogAppendTime"),
                name,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                times,
                "LogAppendTime");
        String cleanup = value(config, TopicConfig.CLEANUP_POLICY_CONFIG);
        require(problems, cleanup.equals("delete"), name, TopicConfig.CLEANUP_POLICY_CONFIG, cleanup, "delete");
        int bytes = Integer.parseInt(value(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        require(
                problems,
                bytes >= RECORD_BYTES,
                name,
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                bytes,
                ">= " + RECORD_BYTES);
        throwIfAny(problems);
        return new Found(topic.partitions().size(), minInSync(config));
    }

    /** Parked records are kept until they are replayed or discarded, which writes a tombstone. */
    private void checkParked() {
        String name = settings.topics().parked();
        TopicDescription topic = describeOrCreate(
                name, 1, Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
        Config config = config(name);
        List<FieldError> problems = problems(name, topic, config);
        String cleanup = value(config, TopicConfig.CLEANUP_POLICY_CONFIG);
        require(problems, cleanup.equals("compact"), name, TopicConfig.CLEANUP_POLICY_CONFIG, cleanup, "compact");
        throwIfAny(problems);
    }

    /** The rules for both topics: losing one broker loses no acknowledged record. */
    private List<FieldError> problems(String name, TopicDescription topic, Config config) {
        List<FieldError> problems = new ArrayList<>();
        if (settings.unsafe()) {
            return problems;
        }
        int replication = topic.partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        require(problems, replication >= REPLICATION, name, "replication factor", replication, ">= " + REPLICATION);
        int inSync = minInSync(config);
        require(
                problems,
                inSync >= MIN_IN_SYNC,
                name,
                TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
                inSync,
                ">= " + MIN_IN_SYNC);
        String unclean = value(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG);
        require(
                problems,
                !Boolean.parseBoolean(unclean),
                name,
                TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
                unclean,
                "false");
        return problems;
    }

    private static void require(
            List<FieldError> problems, boolean holds, String topic, String field, Object value, String expected) {
        if (!holds) {
            problems.add(new FieldError("topic " + topic + ", " + field, String.valueOf(value), expected));
        }
    }

    private static void throwIfAny(List<FieldError> problems) {
        if (!problems.isEmpty()) {
            throw new LonghaulException(ErrorCode.FAILED_PRECONDITION, problems);
        }
    }

    private static int minInSync(Config config) {
        return Integer.parseInt(value(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG));
    }

    private static String value(Config config, String name) {
        return config.get(name).value();
    }

    private Config config(String name) {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        Map<ConfigResource, Config> found = KafkaFailures.result(
                admin.describeConfigs(List.of(resource)).all(), "reading the settings of topic " + name);
        return Objects.requireNonNull(found.get(resource));
    }

    private TopicDescription describeOrCreate(String name, int partitions, Map<String, String> config) {
        try {
            return describe(name);
        } catch (UnknownTopicOrPartitionException e) {
            create(name, partitions, config);
        }
        // Brokers learn of a new topic a moment after it is created.
        for (int attempt = 1; ; attempt++) {
            try {
                return describe(name);
            } catch (UnknownTopicOrPartitionException e) {
                if (attempt == 50) {
                    throw KafkaFailures.of("reading topic " + name, e);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "creating a topic: interrupted", e);
        }
    }

    private TopicDescription describe(String name) {
        try {
            return Objects.requireNonNull(
                    admin.describeTopics(List.of(name)).allTopicNames().get().get(name));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "reading topic " + name + ": interrupted", e);
        } catch (ExecutionException e) {
            if (KafkaFailures.cause(e) instanceof UnknownTopicOrPartitionException unknown) {
                throw unknown;
            }
            throw KafkaFailures.of("reading topic " + name, KafkaFailures.cause(e));
        }
    }

    private void create(String name, int partitions, Map<String, String> config) {
        Map<String, String> all = new HashMap<>(config);
        Optional<Short> replication = Optional.empty();
        if (!settings.unsafe()) {
            replication = Optional.of(REPLICATION);
            all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, String.valueOf(MIN_IN_SYNC));
            all.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
        }
        var topic = new NewTopic(name, Optional.of(partitions), replication).configs(all);
        try {
            admin.createTopics(List.of(topic)).all().get();
            LOG.info("created topic {} with {} partitions", name, partitions);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "creating topic " + name + ": interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = KafkaFailures.cause(e);
            if (cause instanceof TopicExistsException) {
                return;
            }
            boolean refused = cause instanceof KafkaException && !(cause instanceof RetriableException);
            throw refused
                    ? new LonghaulException(
                            ErrorCode.FAILED_PRECONDITION,
                            "topic " + name + " does not exist and cannot be created: " + KafkaFailures.text(cause),
                            cause)
                    : KafkaFailures.of("creating topic " + name, cause);
        }
    }
}
