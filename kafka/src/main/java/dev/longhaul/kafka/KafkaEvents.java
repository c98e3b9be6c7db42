package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.job.WebhookUrl;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.EventSink;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SystemEvent;
import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends job events to topics. The key is the job's id, so that all events of a job are in one partition; they are in order
 * there, because the outbox sends an event only after the earlier ones of the job.
 */
public final class KafkaEvents implements EventSink {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaEvents.class);
    /** Shorter than the time for which the outbox hides a delivery that is being sent. */
    private static final Duration DELIVERY = Duration.ofSeconds(10);

    private static final Duration TO_CLOSE = Duration.ofSeconds(5);
    private static final byte[] CLOUD_EVENT = "application/cloudevents+json; charset=UTF-8".getBytes(UTF_8);

    private final KafkaCluster cluster;
    private @Nullable KafkaProducer<String, byte[]> producer;

    private KafkaEvents(KafkaCluster cluster) {
        this.cluster = cluster;
    }

    /** Connects when the first event is sent, so that a server starts while Kafka is unavailable. */
    public static KafkaEvents open(KafkaCluster cluster) {
        return new KafkaEvents(cluster);
    }

    private synchronized KafkaProducer<String, byte[]> producer() {
        KafkaProducer<String, byte[]> open = producer;
        if (open == null) {
            open = cluster.producer(DELIVERY);
            producer = open;
        }
        return open;
    }

    @Override
    public void send(DueDelivery due, String message, @Nullable String traceparent) {
        var record = new ProducerRecord<>(WebhookUrl.topic(due.url()), key(due.delivery()), message.getBytes(UTF_8));
        record.headers().add("content-type", CLOUD_EVENT);
        if (traceparent != null) {
            record.headers().add("traceparent", traceparent.getBytes(UTF_8));
        }
        try {
            RecordMetadata stored = KafkaFailures.result(producer().send(record), "kafka: sending");
            LOG.debug("delivery {}: stored at {}", due.delivery().id(), stored);
        } catch (KafkaException e) {
            throw KafkaFailures.of("kafka: sending", e);
        }
    }

    /** The job; for events that are not about one job, what they are about. */
    private static String key(Delivery delivery) {
        JobSummary job = delivery.job();
        SystemEvent happening = delivery.happening();
        return job != null
                ? job.id().toString()
                : happening != null ? happening.subject() : delivery.webhookId().toString();
    }

    @Override
    public synchronized void close() {
        if (producer != null) {
            producer.close(TO_CLOSE);
        }
    }
}
