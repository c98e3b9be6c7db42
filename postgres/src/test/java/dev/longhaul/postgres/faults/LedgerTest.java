package dev.longhaul.postgres.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobQuery;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.postgres.faults.Work.Outcome;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers killed at any moment neither lose a job nor have two outcomes of one accepted. */
@Tag("faults")
@Tag("full")
class LedgerTest {
    private static final DefinitionRef PLAIN = new DefinitionRef("plain", 1);
    private static final DefinitionRef LIMITED = new DefinitionRef("limited", 1);
    private static final int LIMIT = 3;
    private static final int[] PRIORITIES = {0, 0, 0, 5, 10};
    private static final int MANY_ATTEMPTS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private final long seed = FaultVolume.seed();
    private final Random random = new Random(seed);
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
    @Timeout(600)
    void killed_workers_lose_nothing_and_double_nothing(@TempDir Path directory) throws Exception {
        StoreContract.limitRuns(store, LIMITED.key(), LIMIT);
        enqueue(FaultVolume.of(1500, 10_000));
        List<Entry> entries;
        Killer killer;
        String limits;
        try (var upkeep = new Upkeep(store, ledger, url, LIMITED.key(), LIMIT);
                var fleet = new Fleet(url, directory, 4, FaultVolume.of(8, 16))) {
            killer = new Killer(fleet, url, random, FaultVolume.of(3, 5), FaultVolume.of(2, 10));
            while (!killer.done()) {
                keepThemBusy();
                killer.killOne();
                upkeep.check();
            }
            awaitTheEnd(fleet, upkeep);
            limits = upkeep.summary();
            entries = new ArrayList<>(fleet.dismiss());
        }
        entries.addAll(ledger.entries());
        var history = History.of(asked, Map.of(LIMITED.key(), LIMIT), entries, store);

        print(killer, history, limits);
        assertThat(HistoryChecker.check(history, PATIENCE)).isEmpty();
        assertThat(history.stored().values()).allSatisfy(LedgerTest::endedAsPlanned);
        assertThat(killer.kills()).isGreaterThanOrEqualTo(FaultVolume.of(8, 20));
        assertThat(killer.hits()).hasSize(Phase.values().length);
        assertThat(killer.hits().values()).allSatisfy(hits -> assertThat(hits).isGreaterThanOrEqualTo(3));
        assertThat(Sql.texts(url, "select definition_key || ' ' || running from longhaul.definition_limit"))
                .containsExactly(LIMITED.key() + " 0");
    }

    private void enqueue(int jobs) {
        var specs = new ArrayList<JobSpec>();
        Instant now = store.now();
        for (int i = 0; i < jobs; i++) {
            boolean limited = random.nextInt(16) == 0;
            var work = new Work(random.nextInt(limited ? 60 : 200), outcome());
            var spec = JobSpec.of(limited ? LIMITED : PLAIN, work.params())
                    .queue(LedgerWorker.QUEUE)
                    .priority(PRIORITIES[random.nextInt(PRIORITIES.length)])
                    .maxAttempts(MANY_ATTEMPTS);
            if (random.nextInt(10) == 0) {
                spec.runTime(RunAt.at(now.plusMillis(500 + random.nextInt(2500))));
            }
            specs.add(spec.build());
        }
        store.jobs().insert(specs);
        asked.addAll(specs);
    }

    private Outcome outcome() {
        int percent = random.nextInt(100);
        if (percent < 6) {
            return Outcome.RETRY;
        }
        return percent < 9
                ? Outcome.SNOOZE
                : percent < 12 ? Outcome.GIVE_BACK : percent < 13 ? Outcome.FAIL : Outcome.SUCCEED;
    }

    /** Every kill must hit workers that have work. */
    private void keepThemBusy() {
        if (store.queues().dueCount(List.of(LedgerWorker.QUEUE), null) < 150) {
            enqueue(300);
        }
    }

    private void awaitTheEnd(Fleet fleet, Upkeep upkeep) throws InterruptedException {
        boolean over = false;
        while (!over) {
            Thread.sleep(50);
            upkeep.check();
            fleet.checkAlive();
            over = Sql.texts(url, "select id from longhaul.live_job limit 1").isEmpty() && retryQuarantined() == 0;
        }
    }

    /** Jobs that were killed three times are quarantined; an operator retries them. */
    private long retryQuarantined() {
        var failed = JobQuery.where().statuses(JobStatus.FAILED).limit(500).build();
        return store.jobs().list(failed).jobs().stream()
                .filter(job -> isQuarantined(job.failure()))
                .peek(job -> {
                    ledger.write(List.of(Entry.retried(job.id(), job.tally().run())));
                    store.jobs().execute(JobCommand.retry(job.id(), "test"));
                })
                .count();
    }

    private static boolean isQuarantined(@Nullable Failure failure) {
        return failure != null && failure.code().equals(Failure.QUARANTINED);
    }

    private static void endedAsPlanned(History.Stored stored) {
        Run first = stored.runs().get(0);
        boolean failsAtOnce =
                Work.of(stored.job().spec().params()).first() == Outcome.FAIL && first.status() == RunStatus.FAILED;
        assertThat(stored.job().state())
                .as("end of %s", stored.job().id())
                .isEqualTo(failsAtOnce ? JobState.FAILED : JobState.SUCCEEDED);
    }

    private void print(Killer killer, History history, String limits) {
        var counts = new TreeMap<String, Integer>();
        for (Entry entry : history.entries()) {
            boolean answer =
                    entry.kind() == Kind.ANSWERED || entry.kind() == Kind.SAVED || entry.kind() == Kind.RENEWED;
            counts.merge(entry.kind() + (answer ? entry.won() ? " won" : " lost" : ""), 1, Integer::sum);
        }
        Collection<History.Stored> stored = history.stored().values();
        long lostRuns = stored.stream()
                .flatMap(one -> one.runs().stream())
                .filter(run -> run.status() == RunStatus.LOST)
                .count();
        long committed =
                killer.unanswered().stream().filter(run -> took(history, run)).count();
        System.out.println("Ledger test, " + FaultVolume.name() + " form, seed " + seed);
        System.out.println("jobs: " + asked.size() + ", runs lost to kills: " + lostRuns);
        killer.table().forEach(System.out::println);
        System.out.println("outcomes without a verdict: " + committed + " committed, "
                + (killer.unanswered().size() - committed) + " not");
        System.out.println("ledgers: " + counts);
        System.out.println(limits);
    }

    private static boolean took(History history, Entry.RunKey key) {
        JobId id = key.jobId();
        History.Stored stored = history.stored().get(id);
        return stored != null
                && stored.runs().stream().anyMatch(run -> run.run() == key.run() && run.status() != RunStatus.LOST);
    }
}
