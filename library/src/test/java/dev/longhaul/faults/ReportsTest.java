package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reports of code are batched, and a report that no store can keep does not affect other jobs. */
@Tag("faults")
class ReportsTest {
    private static final int CALLS = 1_000_000;
    private static final int MOST_WRITES = 20;
    private static final int AT_ONCE = 32;
    private static final String NUL = "a\0b";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String url = TestPostgres.get().newDatabase(PostgresStore::migrate);
    private final HikariDataSource pool = TestPostgres.pool(new PatientDataSource(url), 8);
    private final Journal database = new Journal(url, "test", 2);
    private final CyclicBarrier allRun = new CyclicBarrier(AT_ONCE);

    record Kind(String name) {}

    record Text(String text) {}

    @AfterEach
    void close() {
        database.close();
        pool.close();
    }

    @Test
    @Timeout(120)
    void a_million_progress_calls_are_a_few_writes() throws Exception {
        var definition = JobDefinition.of("eager", Kind.class, Text.class).handler((kind, context) -> {
            for (int i = 0; i < CALLS; i++) {
                context.progress((int) (100L * i / CALLS), "call " + i);
            }
            context.progress(100, "the last call");
            return new Text("");
        });
        try (Longhaul longhaul =
                Longhaul.builder().postgres(pool).register(definition).start()) {
            countUpdates();
            long start = System.nanoTime();
            JobId id = longhaul.later(definition, new Kind("eager"));
            assertThat(longhaul.await(definition, id, PATIENCE).succeeded()).isTrue();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            long events = database.count(
                    "select count(*) from longhaul.job_event where job_id = ? and type = 'progress'", id);
            long updates = database.marks("update").size();
            FaultVolume.tell(
                    "%d progress calls in %s: %d progress events, %d updates of the job's row in all",
                    CALLS, took, events, updates);
            assertThat(events).isBetween(1L, (long) MOST_WRITES);
            // The claim and the renewals of the lease are updates too.
            assertThat(updates).isBetween(2L, (long) MOST_WRITES);
            Job job = longhaul.find(id).orElseThrow();
            assertThat(job.progress().message()).isEqualTo("the last call");
        }
    }

    /** Makes the database count the updates of the rows of live jobs. */
    private void countUpdates() {
        database.create();
        database.update("create function count_update() returns trigger language plpgsql as"
                + " 'begin insert into mark (job, worker, what) values (new.id, '''', ''update''); return null; end'");
        database.update("create trigger count_update after update on longhaul.live_job for each row"
                + " execute function count_update()");
    }

    @Test
    @Timeout(120)
    void a_nul_character_affects_at_most_its_own_job() throws Exception {
        List<String> kinds = List.of("result", "exception", "log", "event", "progress", "step");
        var definition =
                JobDefinition.of("text", Kind.class, Text.class).maxAttempts(1).handler(this::write);
        try (Longhaul longhaul = Longhaul.builder()
                .postgres(pool)
                .register(definition)
                .slots(AT_ONCE)
                .start()) {
            Map<JobId, String> jobs = new TreeMap<>();
            IntStream.range(0, AT_ONCE).forEach(i -> {
                String kind = i % 4 == 0 ? kinds.get(i / 4 % kinds.size()) : "good";
                jobs.put(longhaul.later(definition, new Kind(kind)), kind);
            });
            var ends = new TreeMap<String, String>();
            for (var job : jobs.entrySet()) {
                var result = longhaul.await(definition, job.getKey(), PATIENCE);
                var error = result.error();
                ends.put(
                        job.getValue(),
                        result.status().wireName() + (error == null ? "" : " " + error.code() + " " + error.message()));
                assertThat(result.status().state().terminal())
                        .as(job.getValue())
                        .isTrue();
                assertThat(result.attempts()).as(job.getValue()).isEqualTo(1);
                if (job.getValue().equals("good")) {
                    assertThat(result.succeeded()).isTrue();
                    assertThat(longhaul.store().jobs().events(EventQuery.of(job.getKey())))
                            .extracting(event -> event.type())
                            .contains(EventType.LOG, EventType.PROGRESS);
                }
            }
            FaultVolume.tell("NUL characters: %s", ends);
            assertThat(ends.get("exception")).startsWith("failed exception");
            assertThat(ends).containsKeys(kinds.toArray(String[]::new));
        }
    }

    /** All runs wait here for each other, so that their reports are stored together. */
    private Text write(Kind kind, JobContext context) throws Exception {
        allRun.await(30, TimeUnit.SECONDS);
        switch (kind.name()) {
            case "result" -> {
                return new Text(NUL);
            }
            case "exception" -> throw new IllegalStateException(NUL);
            case "log" -> context.log().info(NUL);
            case "event" -> context.emit("hint", NUL);
            case "progress" -> context.progress(50, NUL);
            case "step" -> context.step("step", String.class, () -> NUL);
            default -> {
                context.log().info("fine");
                context.progress(50, "fine");
            }
        }
        return new Text("fine");
    }
}
