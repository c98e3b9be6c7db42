package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.WebhookConfig;
import dev.longhaul.server.webhook.WebhookSender;
import dev.longhaul.testing.Brokers;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.EventSink;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The outbox of webhooks on a real broker. */
@Timeout(120)
class KafkaEventsTest {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final int PARTITIONS = 4;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SendingRules QUICK = new SendingRules(
            Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofMinutes(5), 1000, Duration.ofMillis(50));

    private final String topic = "jobs-" + UUID.randomUUID();
    private final MemoryStore store = new MemoryStore();
    private final List<AutoCloseable> open = new ArrayList<>(List.of(store));

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private Webhook subscribed() {
        var spec = new WebhookSpec(
                "kafka:" + topic,
                Set.of(WebhookEvent.JOB_STARTED, WebhookEvent.JOB_SUCCEEDED, WebhookEvent.JOB_ENDED),
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
        return store.webhooks().create(UUID.randomUUID(), spec, null);
    }

    private void sendTo(@Nullable Brokers brokers) {
        EventSink sink = brokers == null ? null : KafkaEvents.open(KafkaCluster.of(brokers.servers()));
        if (sink != null) {
            open.add(0, sink);
        }
        var config = new WebhookConfig(List.of(), 4, Duration.ofSeconds(2), QUICK, sink);
        open.add(0, WebhookSender.start(store.deliveries(), store.work(), config, Tracing.OFF));
    }

    private void createTopic(Brokers brokers) throws Exception {
        try (Admin admin = KafkaCluster.of(brokers.servers()).admin()) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get();
        }
    }

    private List<JobId> succeeded(int jobs) {
        for (int i = 0; i < jobs; i++) {
            store.jobs()
                    .insert(List.of(
                            JobSpec.of(REPORT, "{\"password\":\"hunter2\"}").build()));
        }
        List<ClaimedJob> claimed =
                store.work().claim(ClaimRequest.of("w", List.of(JobSpec.DEFAULT_QUEUE), null, jobs, LEASE));
        for (ClaimedJob one : claimed) {
            store.work().apply(List.of(Transition.succeed(one.claim(), "{}")));
        }
        return claimed.stream().map(one -> one.job().id()).toList();
    }

    private void awaitDelivered(UUID webhook, int count) {
        while (store.webhooks()
                        .deliveries(webhook, Delivery.State.DELIVERED, null, 1000)
                        .size()
                < count) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private DeliveryTry lastTry(UUID webhook) {
        while (true) {
            for (Delivery one : store.webhooks().deliveries(webhook, null, null, 10)) {
                List<DeliveryTry> tries = store.webhooks().tries(one.id());
                if (!tries.isEmpty()) {
                    return tries.get(tries.size() - 1);
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Everything in the topic. */
    private List<ConsumerRecord<String, byte[]>> read(Brokers brokers) {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        try (var consumer = new KafkaConsumer<String, byte[]>(
                KafkaCluster.of(brokers.servers()).settings(Map.of("enable.auto.commit", false)),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int number = 0; number < PARTITIONS; number++) {
                partitions.add(new TopicPartition(topic, number));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            while (records.size() < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }

    private static JsonNode body(ConsumerRecord<String, byte[]> record) {
        try {
            return JSON.readTree(record.value());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String type(ConsumerRecord<String, byte[]> record) {
        return body(record).path("type").asText();
    }

    @Test
    void events_of_a_job_are_in_one_partition_and_in_order() throws Exception {
        createTopic(Brokers.shared());
        Webhook webhook = subscribed();
        sendTo(Brokers.shared());
        List<JobId> ids = succeeded(30);
        awaitDelivered(webhook.id(), 90);

        Map<String, List<String>> types = new HashMap<>();
        Map<String, Set<Integer>> partitions = new HashMap<>();
        for (ConsumerRecord<String, byte[]> record : read(Brokers.shared())) {
            types.computeIfAbsent(record.key(), key -> new ArrayList<>()).add(type(record));
            partitions.computeIfAbsent(record.key(), key -> new HashSet<>()).add(record.partition());
            assertThat(body(record).path("subject").asText()).isEqualTo(record.key());
            assertThat(new String(record.value(), UTF_8)).doesNotContain("hunter2");
            assertThat(new String(record.headers().lastHeader("content-type").value(), UTF_8))
                    .isEqualTo("application/cloudevents+json; charset=UTF-8");
        }
        assertThat(types.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().map(JobId::toString).toList());
        assertThat(types.values()).containsOnly(List.of("job.started", "job.succeeded", "job.ended"));
        assertThat(partitions.values()).allSatisfy(one -> assertThat(one).hasSize(1));
        assertThat(partitions.values().stream().distinct().count()).isGreaterThan(1);
        assertThat(lastTry(webhook.id()).status()).isNull();
        assertThat(lastTry(webhook.id()).succeeded()).isTrue();
    }

    @Test
    void events_wait_in_the_outbox_until_their_topic_exists() throws Exception {
        Webhook webhook = subscribed();
        sendTo(Brokers.shared());
        succeeded(1);
        assertThat(lastTry(webhook.id()).error()).contains(topic).contains("not present in metadata");
        createTopic(Brokers.shared());
        awaitDelivered(webhook.id(), 3);
        assertThat(read(Brokers.shared()))
                .extracting(KafkaEventsTest::type)
                .containsExactly("job.started", "job.succeeded", "job.ended");
    }

    @Test
    void a_server_without_kafka_reports_what_it_needs() {
        Webhook webhook = subscribed();
        sendTo(null);
        succeeded(1);
        assertThat(lastTry(webhook.id()).error())
                .isEqualTo("kafka: not set on this server (expected: brokers, as --kafka)");
    }

    @Test
    @Tag("full")
    void events_of_a_job_stay_in_order_while_the_broker_is_killed() throws Exception {
        try (Brokers brokers = Brokers.start(1)) {
            createTopic(brokers);
            Webhook webhook = subscribed();
            sendTo(brokers);
            List<JobId> ids = new ArrayList<>(succeeded(20));
            awaitDelivered(webhook.id(), 10);
            brokers.kill(0);
            ids.addAll(succeeded(20));
            brokers.restart(0);
            ids.addAll(succeeded(20));
            awaitDelivered(webhook.id(), 3 * ids.size());

            Map<String, List<String>> types = new HashMap<>();
            for (ConsumerRecord<String, byte[]> record : read(brokers)) {
                List<String> known = types.computeIfAbsent(record.key(), key -> new ArrayList<>());
                // At least once: a repeat of what was sent already is allowed, an earlier event after a later one is
                // not.
                if (known.isEmpty() || !known.get(known.size() - 1).equals(type(record))) {
                    known.add(type(record));
                }
            }
            assertThat(types.keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            ids.stream().map(JobId::toString).toList());
            assertThat(types.values()).containsOnly(List.of("job.started", "job.succeeded", "job.ended"));
        }
    }
}
