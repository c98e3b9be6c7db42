package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.kafka.IntakeSettings.Bounds;
import dev.longhaul.kafka.IntakeSettings.Topics;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.testing.Brokers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a real broker. */
@Timeout(120)
class KafkaIntakeTest {
    private static final Duration POLL = Duration.ofMillis(500);

    private final IntakeSettings settings = settings(Brokers.shared());

    /** Topics of its own for each test. */
    static IntakeSettings settings(Brokers brokers) {
        String name = "t" + UUID.randomUUID();
        return IntakeSettings.of(KafkaCluster.of(brokers.servers()))
                .withTopics(new Topics(name + ".intake", name + ".parked"))
                .withUnsafe(true);
    }

    static IntakeRecord create(JobId id) {
        return new IntakeRecord.Create(
                JobSpec.of(new DefinitionRef("report", 1), "{}").id(id).build(), null);
    }

    private static IntakeRecord rename(JobId id, String name) {
        var edit = new JobEdit(name, null, null, null, null, null);
        return new IntakeRecord.Change(JobCommand.edit(id, null, edit), null);
    }

    private static List<IntakeRecord> creates(int count) {
        List<IntakeRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(create(JobId.next()));
        }
        return records;
    }

    /** Polls until that many entries were read; fails if there are more. */
    static List<IntakeLog.Entry> read(IntakeLog log, int count) {
        List<IntakeLog.Entry> entries = new ArrayList<>();
        while (entries.size() < count) {
            entries.addAll(log.poll(POLL));
        }
        assertThat(entries).hasSize(count);
        return entries;
    }

    private static JobId job(ParkedRecords.Parked parked) {
        return Objects.requireNonNull(parked.record()).id();
    }

    static List<IntakeRecord> records(Collection<IntakeLog.Entry> entries) {
        return entries.stream().map(IntakeLog.Entry::record).toList();
    }

    @Nested
    class Append {
        @Test
        void records_of_one_job_are_read_in_the_order_in_which_they_were_appended() {
            List<JobId> ids = new ArrayList<>();
            Map<JobId, List<IntakeRecord>> expected = new HashMap<>();
            for (int i = 0; i < 50; i++) {
                ids.add(JobId.next());
            }
            Instant before = Instant.now();
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
                for (int round = 0; round < 5; round++) {
                    List<IntakeRecord> batch = new ArrayList<>();
                    for (JobId id : ids) {
                        IntakeRecord record = round == 0 ? create(id) : rename(id, "name " + round);
                        expected.computeIfAbsent(id, same -> new ArrayList<>()).add(record);
                        batch.add(record);
                    }
                    List<IntakePosition> positions = intake.append(batch);
                    assertThat(positions)
                            .extracting(IntakePosition::partition)
                            .isEqualTo(ids.stream().map(intake::partitionOf).toList());
                }
                List<IntakeLog.Entry> entries = read(log, 250);
                Map<JobId, List<IntakeRecord>> found = new HashMap<>();
                records(entries)
                        .forEach(record -> found.computeIfAbsent(record.id(), same -> new ArrayList<>())
                                .add(record));
                assertThat(found).isEqualTo(expected);
                assertThat(entries)
                        .extracting(IntakeLog.Entry::appendedAt)
                        .allSatisfy(at -> assertThat(at).isBetween(before.minusMillis(1), Instant.now()));
                assertThat(ids.stream().map(intake::partitionOf).distinct().count())
                        .isGreaterThan(4);
            }
        }

        @Test
        void positions_are_those_at_which_the_records_are_read() {
            List<IntakeRecord> records = creates(20);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
                List<IntakePosition> positions = intake.append(records);
                Map<IntakePosition, IntakeRecord> found = new HashMap<>();
                read(log, 20).forEach(entry -> found.put(entry.position(), entry.record()));
                Map<Integer, Long> ends = new HashMap<>();
                positions.forEach(at -> ends.merge(at.partition(), at.offset() + 1, Math::max));
                assertThat(intake.ends()).hasSize(12).containsAllEntriesOf(ends);
                for (int i = 0; i < records.size(); i++) {
                    assertThat(found).containsEntry(positions.get(i), records.get(i));
                }
            }
        }

        @Test
        void callers_in_64_threads_each_get_what_they_appended() throws Exception {
            int callers = 64;
            int each = 25;
            ExecutorService threads = Executors.newFixedThreadPool(callers);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
                Callable<Map<IntakePosition, IntakeRecord>> caller = () -> {
                    Map<IntakePosition, IntakeRecord> mine = new HashMap<>();
                    for (IntakeRecord record : creates(each)) {
                        mine.put(intake.append(List.of(record)).get(0), record);
                    }
                    return mine;
                };
                List<Future<Map<IntakePosition, IntakeRecord>>> all = new ArrayList<>();
                for (int i = 0; i < callers; i++) {
                    all.add(threads.submit(caller));
                }
                Map<IntakePosition, IntakeRecord> appended = new HashMap<>();
                for (Future<Map<IntakePosition, IntakeRecord>> one : all) {
                    appended.putAll(one.get());
                }
                Map<IntakePosition, IntakeRecord> found = new HashMap<>();
                read(log, callers * each).forEach(entry -> found.put(entry.position(), entry.record()));
                assertThat(found).isEqualTo(appended).hasSize(callers * each);
            } finally {
                threads.shutdownNow();
            }
        }

        /** The largest params, of characters that take the most bytes. */
        @Test
        void a_record_of_the_largest_size_is_accepted() {
            String params = "\"" + "\\\"".repeat(131_000) + "\"";
            var largest = new IntakeRecord.Create(
                    JobSpec.of(new DefinitionRef("report", 1), params).build(), null);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
                assertThat(intake.append(List.of(largest))).hasSize(1);
                assertThat(records(read(log, 1))).containsExactly(largest);
            }
        }

        @Test
        @Tag("full")
        void records_are_rejected_while_writers_are_too_many_records_behind() {
            IntakeSettings bounded = settings.withBounds(new Bounds(Bounds.USUAL.delivery(), Bounds.USUAL.age(), 30));
            var progress = new Progress();
            var writer = progress.writer();
            try (var intake = KafkaIntake.open(bounded);
                    var log = KafkaIntakeLog.open(bounded, writer)) {
                intake.append(creates(30));
                LonghaulException refused = untilRefused(intake);
                assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(refused).hasMessageContaining("records are not stored yet");
                assertThat(intake.behind()).isGreaterThanOrEqualTo(30);
                writeUntilAccepted(intake, log, writer);
            }
        }

        @Test
        @Tag("full")
        void records_are_rejected_while_the_oldest_one_waits_for_too_long() {
            IntakeSettings bounded =
                    settings.withBounds(new Bounds(Bounds.USUAL.delivery(), Duration.ofMillis(500), 1_000_000));
            var progress = new Progress();
            var writer = progress.writer();
            try (var intake = KafkaIntake.open(bounded);
                    var log = KafkaIntakeLog.open(bounded, writer)) {
                intake.append(creates(1));
                assertThat(untilRefused(intake)).hasMessageContaining("older than 0 s");
                writeUntilAccepted(intake, log, writer);
            }
        }

        private LonghaulException untilRefused(KafkaIntake intake) {
            while (true) {
                try {
                    intake.append(creates(1));
                } catch (LonghaulException e) {
                    return e;
                }
            }
        }

        private void writeUntilAccepted(KafkaIntake intake, KafkaIntakeLog log, Progress.Writer writer) {
            while (true) {
                writer.store(log.poll(POLL), log);
                try {
                    intake.append(creates(1));
                    return;
                } catch (LonghaulException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                }
            }
        }
    }

    @Nested
    @Tag("full")
    class Read {
        @Test
        void reading_starts_at_the_progress_of_the_store_whatever_is_committed_in_kafka() {
            var progress = new Progress();
            var first = progress.writer();
            List<IntakeRecord> records = creates(40);
            try (var intake = KafkaIntake.open(settings)) {
                List<IntakePosition> positions = intake.append(records);
                try (var log = KafkaIntakeLog.open(settings, first)) {
                    List<IntakeLog.Entry> entries = read(log, 40);
                    first.store(entries, log);
                }
                positions.forEach(position -> progress.put(position.partition(), 1));
                List<IntakePosition> unstored = positions.stream()
                        .filter(position -> position.offset() >= 1)
                        .toList();
                try (var log = KafkaIntakeLog.open(settings, progress.writer())) {
                    assertThat(read(log, unstored.size()))
                            .extracting(IntakeLog.Entry::position)
                            .containsExactlyInAnyOrderElementsOf(unstored);
                }
            }
        }

        @Test
        void a_store_that_is_unavailable_when_partitions_are_assigned_is_asked_again() {
            var progress = new Progress();
            progress.unavailable(true);
            List<IntakeRecord> records = creates(10);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, progress.writer())) {
                intake.append(records);
                assertThatThrownBy(() -> read(log, 1)).hasMessage("the store is unavailable");
                assertThatThrownBy(() -> log.poll(POLL)).hasMessage("the store is unavailable");
                progress.unavailable(false);
                assertThat(records(read(log, 10))).containsExactlyInAnyOrderElementsOf(records);
            }
        }

        @Test
        void a_record_that_is_not_understood_has_its_bytes_and_stops_no_other() throws Exception {
            byte[] unknown = "{\"v\":99}".getBytes(UTF_8);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer());
                    KafkaProducer<String, byte[]> other = settings.producer()) {
                other.send(new ProducerRecord<>(settings.topics().intake(), 0, null, unknown))
                        .get();
                other.send(new ProducerRecord<>(settings.topics().intake(), 0, null, null))
                        .get();
                intake.append(creates(10));
                List<IntakeLog.Entry> entries = read(log, 12);
                assertThat(entries.stream()
                                .filter(entry -> entry.record() == null)
                                .map(IntakeLog.Entry::raw))
                        .containsExactly(unknown, new byte[0]);
            }
        }

        @Test
        void records_that_retention_deleted_do_not_stop_the_reader() throws Exception {
            var progress = new Progress();
            List<IntakeRecord> records = new ArrayList<>();
            JobId id = JobId.next();
            for (int i = 0; i < 10; i++) {
                records.add(rename(id, "name " + i));
            }
            try (var intake = KafkaIntake.open(settings);
                    Admin admin = settings.cluster().admin()) {
                intake.append(records);
                int partition = intake.partitionOf(id);
                progress.put(partition, 2);
                var deleted = new TopicPartition(settings.topics().intake(), partition);
                admin.deleteRecords(Map.of(deleted, RecordsToDelete.beforeOffset(6)))
                        .all()
                        .get();
                try (var log = KafkaIntakeLog.open(settings, progress.writer())) {
                    assertThat(records(read(log, 4))).isEqualTo(records.subList(6, 10));
                }
            }
        }

        @Test
        void progress_beyond_the_end_means_a_new_topic_which_is_read_from_its_start() {
            var progress = new Progress();
            List<IntakeRecord> records = creates(10);
            try (var intake = KafkaIntake.open(settings)) {
                intake.append(records);
                for (int partition = 0; partition < 12; partition++) {
                    progress.put(partition, 1000);
                }
                try (var log = KafkaIntakeLog.open(settings, progress.writer())) {
                    assertThat(records(read(log, 10))).containsExactlyInAnyOrderElementsOf(records);
                }
            }
        }
    }

    @Nested
    class Rebalance {
        @Test
        @Tag("full")
        void keeping_alive_reads_nothing_and_loses_nothing() {
            List<IntakeRecord> records = creates(100);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, new Progress().writer())) {
                intake.append(records.subList(0, 50));
                List<IntakeLog.Entry> entries = new ArrayList<>(read(log, 50));
                intake.append(records.subList(50, 100));
                log.keepAlive();
                log.keepAlive();
                entries.addAll(read(log, 50));
                assertThat(records(entries)).containsExactlyInAnyOrderElementsOf(records);
            }
        }

        /**
         * The first writer holds a batch that it has not stored when the second one joins. It stores what is still its own;
         * the second one reads the others again, from where the store ends.
         */
        @Test
        void a_writer_that_joins_in_mid_batch_loses_no_record_and_stores_none_twice() throws Exception {
            var progress = new Progress();
            var first = progress.writer();
            List<IntakeRecord> records = creates(300);
            ExecutorService thread = Executors.newSingleThreadExecutor();
            var ended = new AtomicBoolean();
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, first)) {
                intake.append(records.subList(0, 200));
                List<IntakeLog.Entry> batch = read(log, 200);
                Set<Integer> all = new HashSet<>(first.owned());
                Future<Set<Integer>> second = thread.submit(() -> {
                    var writer = progress.writer();
                    try (var other = KafkaIntakeLog.open(settings, writer)) {
                        while (!ended.get()) {
                            writer.store(other.poll(Duration.ofMillis(100)), other);
                        }
                        return Set.copyOf(writer.owned());
                    }
                });
                while (first.owned().size() == all.size()) {
                    log.keepAlive();
                }
                first.store(batch, log);
                intake.append(records.subList(200, 300));
                while (progress.stored().size() < records.size()) {
                    first.store(log.poll(Duration.ofMillis(100)), log);
                }
                ended.set(true);
                assertThat(records(progress.stored())).containsExactlyInAnyOrderElementsOf(records);
                assertThat(first.owned()).hasSize(6);
                assertThat(second.get()).hasSize(6).doesNotContainAnyElementsOf(first.owned());
            } finally {
                ended.set(true);
                thread.shutdown();
            }
        }

        @Test
        @Tag("full")
        void what_a_closed_writer_has_not_stored_is_read_by_the_next_one() {
            var progress = new Progress();
            List<IntakeRecord> records = creates(60);
            try (var intake = KafkaIntake.open(settings)) {
                intake.append(records);
                try (var log = KafkaIntakeLog.open(settings, progress.writer())) {
                    read(log, 60);
                }
                var next = progress.writer();
                try (var log = KafkaIntakeLog.open(settings, next)) {
                    next.store(read(log, 60), log);
                }
                assertThat(records(progress.stored())).containsExactlyInAnyOrderElementsOf(records);
            }
        }
    }

    @Nested
    class Park {
        @Test
        void a_parked_record_is_listed_with_its_reason_and_replayed() throws Exception {
            var progress = new Progress();
            var writer = progress.writer();
            List<IntakeRecord> records = creates(3);
            try (var intake = KafkaIntake.open(settings);
                    var log = KafkaIntakeLog.open(settings, writer);
                    var parked = ParkedRecords.open(settings)) {
                intake.append(records);
                List<IntakeLog.Entry> entries = read(log, 3);
                for (IntakeLog.Entry entry : entries) {
                    log.park(entry, "queue: full");
                }
                // As after a lost response.
                log.park(entries.get(0), "queue: full");
                writer.store(entries, log);

                List<ParkedRecords.Parked> listed = parked.list(10);
                assertThat(listed).extracting(ParkedRecords.Parked::record).isEqualTo(records(entries));
                assertThat(listed).extracting(ParkedRecords.Parked::reason).containsOnly("queue: full");
                assertThat(listed)
                        .extracting(ParkedRecords.Parked::position)
                        .isEqualTo(
                                entries.stream().map(IntakeLog.Entry::position).toList());
                assertThat(listed)
                        .extracting(ParkedRecords.Parked::appendedAt)
                        .isEqualTo(entries.stream()
                                .map(IntakeLog.Entry::appendedAt)
                                .toList());
                assertThat(parked.list(2)).hasSize(2);

                JobId one = job(listed.get(1));
                assertThat(parked.replay(record -> one.equals(job(record)))).isEqualTo(1);
                assertThat(records(read(log, 1))).containsExactly(listed.get(1).record());
                assertThat(parked.list(10))
                        .extracting(ParkedRecords.Parked::position)
                        .containsExactly(listed.get(0).position(), listed.get(2).position());

                assertThat(parked.discard(record -> true)).isEqualTo(2);
                assertThat(parked.list(10)).isEmpty();
                assertThat(log.poll(POLL)).isEmpty();
            }
        }

        @Test
        @Tag("full")
        void a_record_that_is_not_understood_is_replayed_byte_for_byte() throws Exception {
            byte[] unknown = "{\"v\":99}".getBytes(UTF_8);
            try (var log = KafkaIntakeLog.open(settings, new Progress().writer());
                    var parked = ParkedRecords.open(settings);
                    KafkaProducer<String, byte[]> other = settings.producer()) {
                other.send(new ProducerRecord<>(settings.topics().intake(), 7, null, unknown))
                        .get();
                log.park(read(log, 1).get(0), "not understood");
                assertThat(parked.list(1))
                        .extracting(ParkedRecords.Parked::record)
                        .containsOnlyNulls();
                assertThat(parked.replay(record -> true)).isEqualTo(1);
                IntakeLog.Entry again = read(log, 1).get(0);
                assertThat(again.raw()).isEqualTo(unknown);
                assertThat(again.position()).isEqualTo(new IntakePosition(7, 1));
            }
        }
    }
}
