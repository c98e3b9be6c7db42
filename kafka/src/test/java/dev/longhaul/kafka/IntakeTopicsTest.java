package dev.longhaul.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.testing.Brokers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which topics the intake accepts, on a real broker. */
@Timeout(120)
class IntakeTopicsTest {
    private final IntakeSettings settings = KafkaIntakeTest.settings(Brokers.shared());

    @Test
    void topics_without_three_replicas_are_rejected_unless_that_is_accepted() {
        IntakeSettings safe = settings.withUnsafe(false);
        // One broker cannot replicate: the topics cannot be created.
        rejected(safe, "cannot be created");
        KafkaIntake.open(settings).close();
        rejected(safe, "replication factor: 1 (expected: >= 3)");
        rejected(safe, "min.insync.replicas: 1 (expected: >= 2)");
    }

    @Test
    @Tag("full")
    void a_topic_whose_times_are_those_of_callers_is_rejected() throws Exception {
        create(settings.topics().intake(), Map.of("message.timestamp.type", "CreateTime"));
        rejected(settings, "message.timestamp.type: CreateTime (expected: LogAppendTime)");
    }

    @Test
    @Tag("full")
    void a_topic_that_is_compacted_or_too_narrow_is_rejected() throws Exception {
        create(
                settings.topics().intake(),
                Map.of(
                        "message.timestamp.type", "LogAppendTime",
                        "cleanup.policy", "compact",
                        "max.message.bytes", "100000"));
        rejected(settings, "cleanup.policy: compact (expected: delete)");
        rejected(settings, "max.message.bytes: 100000 (expected: >= 1000000)");
    }

    @Test
    @Tag("full")
    void a_parked_topic_that_deletes_is_rejected() throws Exception {
        create(settings.topics().parked(), Map.of("cleanup.policy", "delete"));
        rejected(settings, "cleanup.policy: delete (expected: compact)");
    }

    private void create(String name, Map<String, String> config) throws Exception {
        try (Admin admin = settings.cluster().admin()) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty()).configs(config)))
                    .all()
                    .get();
        }
    }

    private void rejected(IntakeSettings bad, String reason) {
        for (Runnable open : List.<Runnable>of(
                () -> KafkaIntake.open(bad).close(),
                () -> KafkaIntakeLog.open(bad, new Progress().writer()).close(),
                () -> ParkedRecords.open(bad).close())) {
            assertThatThrownBy(open::run)
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                    .hasMessageContaining(reason);
        }
    }
}
