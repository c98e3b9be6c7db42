package dev.longhaul.postgres.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker that was suspended past its leases and continues believes that it owns its jobs; all its writes are rejected.
 */
@Tag("faults")
@Tag("full")
class StoppedWorkerTest {
    private static final DefinitionRef DEFINITION = new DefinitionRef("stopped", 1);
    private static final int LIMIT = 10;
    private static final int JOBS = 6;
    private static final int STILL_RUNNING = 3;
    private static final List<String> TABLES = List.of(
            "live_job",
            "finished_job",
            "job_run",
            "job_step",
            "job_event",
            "idempotency_key",
            "queue",
            "definition_limit");

    private final String url = TestPostgres.get().newDatabase();
    private final HikariDataSource pool = TestPostgres.pool(url, 8);
    private final Store store = PostgresStore.open(pool);
    private final Ledger.InMemory ledger = new Ledger.InMemory();
    private final List<JobSpec> asked = new ArrayList<>();

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Test
    @Timeout(120)
    void changes_nothing_when_it_continues(@TempDir Path directory) throws Exception {
        StoreContract.limitRuns(store, DEFINITION.key(), LIMIT);
        try (var stopped = WorkerProcess.start("stopped", url, directory, JOBS)) {
            stopped.await("ready");
            stopped.send("hold " + Phase.RUNNING);
            enqueue();
            stopped.await("at " + Phase.RUNNING);
            stopped.signal("STOP");
            expireAll();
            var heir = new LedgerWorker("heir", store, ledger);
            List<ClaimedJob> held = heir.claim(STILL_RUNNING, Duration.ofMinutes(5));
            held.forEach(heir::start);
            assertThat(heir.save(held)).containsOnly(Verdict.WON);
            List<Entry> finished = othersFinish(directory);
            Map<String, List<String>> before = rows();

            stopped.send("insist");
            stopped.send("go");
            stopped.signal("CONT");
            assertThat(stopped.await("insisted")).isEqualTo("insisted " + JOBS);

            assertThat(rows()).isEqualTo(before);
            List<Entry> stale = stopped.entries().stream()
                    .filter(entry ->
                            entry.kind() == Kind.SAVED || entry.kind() == Kind.RENEWED || entry.kind() == Kind.ANSWERED)
                    .toList();
            assertThat(stale).hasSize(3 * JOBS).noneMatch(Entry::won);
            finish(heir, held);
            var entries = new ArrayList<>(ledger.entries());
            entries.addAll(stopped.entries());
            entries.addAll(finished);
            check(entries);
        }
    }

    private void enqueue() {
        for (int i = 0; i < JOBS; i++) {
            asked.add(JobSpec.of(DEFINITION, new Work(100, Work.Outcome.SUCCEED).params())
                    .queue(LedgerWorker.QUEUE)
                    .build());
        }
        store.jobs().insert(asked);
    }

    private void expireAll() throws InterruptedException {
        int expired = 0;
        while (expired < JOBS) {
            Thread.sleep(50);
            var lapsed = Upkeep.expire(store);
            ledger.write(lapsed.stream()
                    .map(one -> Entry.expired("upkeep", one.claim(), one.state()))
                    .toList());
            expired += lapsed.size();
        }
    }

    /** Another process takes the remaining jobs, finishes them and exits. */
    private List<Entry> othersFinish(Path directory) throws InterruptedException {
        try (var other = WorkerProcess.start("other", url, directory, JOBS)) {
            other.await("ready");
            String count = "select count(*) from longhaul.finished_job";
            while (!Sql.texts(url, count).equals(List.of(Integer.toString(JOBS - STILL_RUNNING)))) {
                Thread.sleep(20);
            }
            while (other.entries().stream()
                            .filter(entry -> entry.kind() == Kind.ANSWERED)
                            .count()
                    < JOBS - STILL_RUNNING) {
                Thread.sleep(20);
            }
            other.kill();
            return other.entries();
        }
    }

    /** Every row of every table, as text. */
    private Map<String, List<String>> rows() {
        var rows = new TreeMap<String, List<String>>();
        for (String table : TABLES) {
            rows.put(table, Sql.texts(url, "select t::text from longhaul." + table + " t order by 1"));
        }
        return rows;
    }

    private static void finish(LedgerWorker heir, List<ClaimedJob> held) {
        List<LedgerWorker.Queued> outcomes = held.stream().map(heir::finish).toList();
        heir.announce(outcomes);
        assertThat(heir.apply(outcomes)).allMatch(Verdict::won);
    }

    private void check(List<Entry> entries) {
        var history = History.of(asked, Map.of(DEFINITION.key(), LIMIT), entries, store);
        assertThat(HistoryChecker.check(history, Duration.ofSeconds(8))).isEmpty();
        System.out.println("Stopped worker: " + JOBS + " jobs past their leases, " + (JOBS - STILL_RUNNING)
                + " finished and " + STILL_RUNNING + " held by others; its " + 3 * JOBS
                + " late writes (report, renewal, outcome) were all lost, no row changed");
    }
}
