package dev.longhaul.kafka;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the state of the topic every second, so that the intake can reject a record at once when it could only fail after
 * a timeout, or would be stored too late.
 */
final class IntakeWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeWatch.class);
    private static final long EVERY_MILLIS = 1000;
    private static final int TIMEOUT_MILLIS = 3000;
    /** One failed poll may be the end of one broker of several. */
    private static final int FAILURES_IN_A_ROW = 2;

    private final Admin admin;
    private final IntakeSettings settings;
    private final int minInSync;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final BackgroundLoop loop;
    private volatile @Nullable String problem;
    private volatile long behind;
    private int failures;
    private @Nullable String lag;

    IntakeWatch(Admin admin, IntakeSettings settings, int minInSync) {
        this.admin = admin;
        this.settings = settings;
        this.minInSync = minInSync;
        this.loop = BackgroundLoop.helper("intake-watch", this::pass);
    }

    /** Throws if the intake must not accept records now. */
    void check() {
        String why = problem;
        if (why != null) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "intake: " + why);
        }
    }

    /** The number of records that are not stored, at the last poll. */
    long behind() {
        return behind;
    }

    private boolean pass() throws InterruptedException {
        String found = poll();
        if (!Objects.equals(found, problem)) {
            if (found == null) {
                LOG.info("intake: accepting records again");
            } else {
                LOG.warn("intake: rejecting records: {}", found);
            }
            problem = found;
        }
        return !closing.await(EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private @Nullable String poll() throws InterruptedException {
        try {
            String name = settings.topics().intake();
            TopicDescription topic = Objects.requireNonNull(
                    admin.describeTopics(List.of(name), new DescribeTopicsOptions().timeoutMs(TIMEOUT_MILLIS))
                            .allTopicNames()
                            .get()
                            .get(name));
            failures = 0;
            String replication = replication(topic);
            return replication != null ? replication : tooFarBehind(topic);
        } catch (ExecutionException e) {
            LOG.debug("intake: reading the topic failed; retrying", KafkaFailures.cause(e));
            return ++failures >= FAILURES_IN_A_ROW ? "Kafka is unavailable" : problem;
        }
    }

    /** Appending may work although the writers' offsets cannot be read: then the last known state counts. */
    private @Nullable String tooFarBehind(TopicDescription topic) throws InterruptedException {
        try {
            lag = lag(topic);
        } catch (ExecutionException e) {
            LOG.debug("intake: reading the offsets of the writers failed; retrying", KafkaFailures.cause(e));
        }
        return lag;
    }

    private @Nullable String replication(TopicDescription topic) {
        return topic.partitions().stream()
                .filter(partition -> partition.isr().size() < minInSync)
                .findFirst()
                .map(partition -> "partition " + partition.partition() + " of " + topic.name() + " has "
                        + partition.isr().size() + " replicas in sync (expected: >= " + minInSync + ")")
                .orElse(null);
    }

    private @Nullable String lag(TopicDescription topic) throws InterruptedException, ExecutionException {
        List<TopicPartition> partitions = topic.partitions().stream()
                .map(partition -> new TopicPartition(topic.name(), partition.partition()))
                .toList();
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(settings.writers())
                .partitionsToOffsetAndMetadata()
                .get();
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
        long oldest = Instant.now().minus(settings.bounds().age()).toEpochMilli();
        Map<TopicPartition, Long> young = offsets(partitions, OffsetSpec.forTimestamp(oldest));
        long open = 0;
        boolean tooOld = false;
        for (TopicPartition partition : partitions) {
            @Nullable OffsetAndMetadata stored = committed.get(partition);
            long end = Objects.requireNonNull(ends.get(partition));
            long next = stored == null ? Objects.requireNonNull(starts.get(partition)) : stored.offset();
            long firstYoung = Objects.requireNonNull(young.get(partition));
            open += Math.max(0, end - next);
            // -1: no record is that young.
            tooOld |= next < (firstYoung < 0 ? end : firstYoung);
        }
        behind = open;
        if (open >= settings.bounds().records()) {
            return open + " records are not stored yet (expected: < "
                    + settings.bounds().records() + ")";
        }
        return tooOld
                ? "the oldest record that is not stored is older than "
                        + settings.bounds().age().toSeconds() + " s"
                : null;
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec spec)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> request =
                partitions.stream().collect(Collectors.toMap(Function.identity(), partition -> spec));
        Map<TopicPartition, Long> found = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> one :
                admin.listOffsets(request).all().get().entrySet()) {
            found.put(one.getKey(), one.getValue().offset());
        }
        return found;
    }

    @Override
    public void close() {
        closing.countDown();
        loop.close(TIMEOUT_MILLIS);
    }
}
