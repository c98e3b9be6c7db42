package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.kafka.IntakeSettings;
import dev.longhaul.kafka.KafkaCluster;
import dev.longhaul.kafka.KafkaIntake;
import dev.longhaul.kafka.KafkaIntakeLog;
import dev.longhaul.testing.Brokers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code longhaul intake parked} and {@code replay} on a real broker. */
@Tag("full")
@Timeout(120)
class IntakeCommandsTest {
    private final Brokers brokers = Brokers.start(1);
    private final List<String> options =
            List.of("--kafka=" + brokers.servers(), "--intake=longhaul.test", "--intake-unsafe");
    private final IntakeSettings settings = IntakeSettings.of(KafkaCluster.of(brokers.servers()))
            .withTopics(new IntakeSettings.Topics("longhaul.test", "longhaul.test.parked"))
            .withUnsafe(true);

    @AfterEach
    void stopBroker() {
        brokers.close();
    }

    /** Reads every record from the start of the topic. */
    private static final class FromTheStart implements IntakeLog.Assignment {
        @Override
        public Map<Integer, Long> assigned(Set<Integer> partitions) {
            return partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> 0L));
        }

        @Override
        public void lost(Set<Integer> partitions) {
            // This test has one writer.
        }
    }

    private static List<IntakeLog.Entry> read(IntakeLog log, int count) {
        var entries = new ArrayList<IntakeLog.Entry>();
        while (entries.size() < count) {
            entries.addAll(log.poll(Duration.ofMillis(500)));
        }
        return entries;
    }

    private ServerFixture.Done intake(String... arguments) {
        var all = new ArrayList<>(List.of("intake"));
        all.addAll(List.of(arguments));
        all.addAll(options);
        return ServerFixture.execute(all.toArray(String[]::new));
    }

    @Test
    void list_parked_records_and_append_them_again() {
        JobId id = JobId.next();
        var spec = JobSpec.of(new DefinitionRef("report", 1), "{}").id(id).build();
        try (var intake = KafkaIntake.open(settings);
                var log = KafkaIntakeLog.open(settings, new FromTheStart())) {
            intake.append(List.of(new IntakeRecord.Create(spec, null)));
            IntakeLog.Entry entry = read(log, 1).get(0);
            log.park(entry, "queue_full: reports");
            String position =
                    entry.position().partition() + "/" + entry.position().offset();

            assertThat(intake("parked").exitsWith(0).out())
                    .contains(position, id.toString(), "start report@1", "queue_full: reports");
            assertThat(intake("replay").exitsWith(2).err()).contains("--all");
            intake("replay", "0/999").exitsWith(4);
            assertThat(intake("replay", position).exitsWith(0).out()).contains("Replayed 1 record.");

            assertThat(intake("parked").exitsWith(0).out()).doesNotContain(position);
            assertThat(read(log, 1)).extracting(IntakeLog.Entry::record).containsExactly(entry.record());
            assertThat(intake("replay", "--all").exitsWith(0).out()).contains("Replayed 0 records.");
        }
    }
}
