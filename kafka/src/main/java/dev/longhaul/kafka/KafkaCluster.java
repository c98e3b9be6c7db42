package dev.longhaul.kafka;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A Kafka cluster and how to connect to it.
 *
 * @param servers some of its brokers: {@code host:port}, separated by commas
 * @param client further settings of Kafka's clients, such as those of TLS and SASL
 */
public record KafkaCluster(String servers, Map<String, String> client) {
    private static final String BROKER = "[A-Za-z0-9._\\[\\]:-]+:[0-9]{1,5}";
    private static final Pattern SERVERS = Pattern.compile(BROKER + "(?:," + BROKER + ")*");

    /** How long a caller waits while the producer's buffer is full, or no broker is known. */
    private static final int BUFFER_WAIT_MILLIS = 2000;
    /** A frozen broker is given up after that, and the record is sent again. */
    private static final int REQUEST_MILLIS = 5000;

    private static final int LINGER_MILLIS = 2;

    public KafkaCluster {
        new Problems()
                .require(
                        SERVERS.matcher(servers).matches(), "kafka", servers, "brokers such as kafka1:9092,kafka2:9092")
                .throwIfAny();
        client = Map.copyOf(client);
    }

    public static KafkaCluster of(String servers) {
        return new KafkaCluster(servers, Map.of());
    }

    /** The settings of a client. {@code fixed} wins, because correctness depends on it. */
    Map<String, Object> settings(Map<String, Object> fixed) {
        Map<String, Object> all = new HashMap<>(client);
        all.put("bootstrap.servers", servers);
        all.putAll(fixed);
        return all;
    }

    Admin admin() {
        return Admin.create(
                settings(Map.of("request.timeout.ms", REQUEST_MILLIS, "default.api.timeout.ms", 2 * REQUEST_MILLIS)));
    }

    /**
     * Acknowledged means written by all replicas in sync; a repeated request writes no record twice.
     *
     * @param delivery how long the brokers may take to acknowledge a record
     */
    KafkaProducer<String, byte[]> producer(Duration delivery) {
        int millis = Math.toIntExact(delivery.toMillis());
        // Kafka rejects a delivery timeout below the sum of the other two.
        int request = Math.min(REQUEST_MILLIS, millis - LINGER_MILLIS);
        Map<String, Object> fixed = Map.of(
                "acks", "all",
                "enable.idempotence", true,
                // With more, a first batch that meets a leader election can be overtaken by the second one: a broker
                // accepts any
                // sequence number of a producer that is new to it, and then rejects the first batch until it expires.
                "max.in.flight.requests.per.connection", 1,
                "linger.ms", LINGER_MILLIS,
                "request.timeout.ms", request,
                "delivery.timeout.ms", millis,
                "max.block.ms", BUFFER_WAIT_MILLIS);
        return new KafkaProducer<>(settings(fixed), new StringSerializer(), new ByteArraySerializer());
    }

    /** Omits the settings, which may contain passwords. */
    @Override
    public String toString() {
        return "KafkaCluster[" + servers + "]";
    }
}
