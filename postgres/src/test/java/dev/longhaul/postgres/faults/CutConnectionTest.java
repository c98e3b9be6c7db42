package dev.longhaul.postgres.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.faults.CuttingProxy.Cut;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A connection cut around COMMIT neither loses nor duplicates a job: the store determines what was committed. */
@Tag("faults")
@Tag("full")
@Execution(ExecutionMode.CONCURRENT) // Each test has its own database, proxy and pools, and mostly waits.
class CutConnectionTest {
    private static final String QUEUE = "cuts";
    private static final DefinitionRef DEFINITION = new DefinitionRef("cut", 1);
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration LATER = Duration.ofHours(1);
    private static final int BATCH = 5;
    private static final List<Cut> KINDS = List.of(Cut.values());
    private static final int CUTS = FaultVolume.of(18, 102);

    private final long seed = FaultVolume.seed();
    private final Random random = new Random(seed);
    private final Map<String, Tally> tallies = new HashMap<>();
    private String url = "";
    private CuttingProxy proxy;
    private HikariDataSource direct;
    private HikariDataSource cuttable;
    private PostgresStore calm;
    private PostgresStore store;

    /** How often each kind of cut was made, and how often the server had committed. */
    private static final class Tally {
        final Map<Cut, Integer> cuts = new EnumMap<>(Cut.class);
        int committed;
        int uncommitted;
        int requests = 1;
    }

    @BeforeEach
    void open() throws IOException {
        url = TestPostgres.get().newDatabase();
        URI server = URI.create(url.substring("jdbc:".length()));
        proxy = new CuttingProxy(server.getHost(), server.getPort());
        direct = TestPostgres.pool(url, 10);
        calm = PostgresStore.open(direct);
        var config = new HikariConfig();
        config.setJdbcUrl(url.replace(server.getHost() + ":" + server.getPort(), "localhost:" + proxy.port())
                + "&sslmode=disable&gssEncMode=disable&assumeMinServerVersion=14");
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(10_000);
        cuttable = new Cuttable(config, direct);
        store = PostgresStore.open(cuttable);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        calm.close();
        cuttable.close();
        direct.close();
        proxy.close();
    }

    /** Connects through the proxy, except on the store's signal thread: the cut is meant for the caller's work. */
    private static final class Cuttable extends HikariDataSource {
        private final HikariDataSource direct;

        Cuttable(HikariConfig config, HikariDataSource direct) {
            super(config);
            this.direct = direct;
        }

        @Override
        public Connection getConnection() throws SQLException {
            boolean wakeUp = Thread.currentThread().getName().startsWith("longhaul-signal");
            return wakeUp ? direct.getConnection() : super.getConnection();
        }
    }

    /** Work of the store whose connection is cut. */
    private interface Work<T> {
        T run() throws Exception;
    }

    /**
     * Runs work with a cut in it. The kinds of cuts take turns. In the first round each cuts the last request of such
     * work, its COMMIT; later rounds cut that one or any other.
     */
    private <T> T cut(String name, Work<T> work) throws Exception {
        Tally tally = tallies.computeIfAbsent(name, key -> new Tally());
        Cut kind = KINDS.get(cutsOf(name) % KINDS.size());
        proxy.requests();
        boolean last = cutsOf(name) < KINDS.size() || random.nextBoolean();
        proxy.arm(kind, last ? tally.requests - 1 : random.nextInt(tally.requests));
        T answer = work.run();
        Boolean committed = proxy.outcome();
        if (committed == null) {
            // Fewer requests than assumed: those of connections that the pool opened meanwhile had been counted too.
            tally.requests = Math.max(1, proxy.requests());
            return answer;
        }
        tally.cuts.merge(kind, 1, Integer::sum);
        if (committed) {
            tally.committed++;
        } else {
            tally.uncommitted++;
        }
        return answer;
    }

    private int cutsOf(String name) {
        Tally tally = tallies.get(name);
        return tally == null ? 0 : tally.committed + tally.uncommitted;
    }

    /** Runs work without a cut, to count its requests. */
    private <T> T uncut(String name, Work<T> work) throws Exception {
        Tally tally = tallies.computeIfAbsent(name, key -> new Tally());
        proxy.requests();
        T answer = work.run();
        tally.requests = Math.max(tally.requests, proxy.requests());
        return answer;
    }

    private static List<JobSpec> specs(boolean keyed) {
        var specs = new ArrayList<JobSpec>();
        for (int i = 0; i < BATCH; i++) {
            var spec = JobSpec.of(DEFINITION, "{}").queue(QUEUE);
            JobSpec built = spec.build();
            specs.add(
                    keyed
                            ? built.toBuilder()
                                    .idempotencyKey(built.id().toString())
                                    .build()
                            : built);
        }
        return specs;
    }

    private long count(String where) {
        return Long.parseLong(Sql.texts(url, "select count(*) from longhaul.job where " + where)
                .get(0));
    }

    private void print(String... names) {
        System.out.println("Cut connections, " + FaultVolume.name() + " form, seed " + seed);
        for (String name : names) {
            Tally tally = tallies.getOrDefault(name, new Tally());
            System.out.printf(
                    "  %-18s %3d cuts in %d requests: the server had committed %3d, not committed %3d; %s%n",
                    name, cutsOf(name), tally.requests, tally.committed, tally.uncommitted, tally.cuts);
            assertThat(tally.committed).as("committed, unanswered: %s", name).isPositive();
            assertThat(tally.uncommitted).as("not committed: %s", name).isPositive();
        }
    }

    @Test
    @Timeout(300)
    void an_insert_stores_once() throws Exception {
        var asked = new ArrayList<JobSpec>();
        for (String way : List.of("insert", "insert with keys")) {
            List<JobSpec> first = specs(way.endsWith("keys"));
            uncut(way, () -> store.jobs().insert(first));
            asked.addAll(first);
            while (cutsOf(way) < CUTS) {
                List<JobSpec> specs = specs(way.endsWith("keys"));
                var answer = cut(way, () -> store.jobs().insert(specs));
                asked.addAll(specs);
                assertThat(answer).extracting(one -> one.job().id()).containsExactlyElementsOf(idsOf(specs));
            }
        }
        print("insert", "insert with keys");
        assertThat(count("true")).isEqualTo(asked.size());
        assertThat(Sql.texts(url, "select id from longhaul.job"))
                .containsExactlyInAnyOrderElementsOf(
                        idsOf(asked).stream().map(Object::toString).toList());
    }

    private static List<JobId> idsOf(List<JobSpec> specs) {
        return specs.stream().map(JobSpec::id).toList();
    }

    @Test
    @Timeout(300)
    void a_claim_leaks_no_lease() throws Exception {
        for (int i = 0; i < CUTS + 20; i++) {
            calm.jobs().insert(specs(false));
        }
        var held = new ArrayList<String>();
        held.addAll(keys(uncut("claim", this::claim)));
        while (cutsOf("claim") < CUTS) {
            held.addAll(keys(cut("claim", this::claim)));
        }
        print("claim");
        assertThat(held).doesNotHaveDuplicates();
        assertThat(Sql.texts(url, "select id || ' run ' || run from longhaul.live_job where state >= 2"))
                .as("leased in the database and known to the caller")
                .containsExactlyInAnyOrderElementsOf(held);
        assertThat(count("run > 1")).isZero();
    }

    @Test
    @Timeout(300)
    void a_claim_by_id_starts_one_run() throws Exception {
        StoreContract.limitRuns(calm, DEFINITION.key(), 10_000);
        uncut("claim by id", this::claimOne);
        while (cutsOf("claim by id") < CUTS) {
            assertThat(cut("claim by id", this::claimOne).claim().run()).isEqualTo(1);
        }
        print("claim by id");
        assertThat(count("run > 1")).isZero();
        assertThat(Sql.texts(url, "select running from longhaul.definition_limit"))
                .containsExactly(Long.toString(count("status = 'running'")));
    }

    private ClaimedJob claimOne() {
        JobSpec spec = specs(false).get(0);
        calm.jobs().insert(List.of(spec));
        return store.claimById().claimOne(spec.id(), Claim.newKey(), "worker", LEASE);
    }

    @Test
    @Timeout(300)
    void a_failed_hook_is_reported_once() throws Exception {
        calm.catalog().hooks(DEFINITION.key(), true);
        // The first call sends more requests than later ones: a cut in its last request would hit none of theirs.
        hooksDone();
        uncut("hooks done", this::hooksDone);
        while (cutsOf("hooks done") < CUTS) {
            JobId id = cut("hooks done", this::hooksDone);
            assertThat(calm.jobs().events(EventQuery.of(id)))
                    .filteredOn(event -> event.type() == EventType.HOOK_FAILED)
                    .hasSize(1);
        }
        print("hooks done");
        assertThat(Sql.texts(url, "select job_id from longhaul.job_effect")).isEmpty();
    }

    private JobId hooksDone() {
        JobSpec spec = specs(false).get(0);
        calm.jobs().insert(List.of(spec));
        calm.jobs().execute(JobCommand.cancel(spec.id(), null, null, null));
        store.work().hooks().hooksDone(spec.id(), List.of("no mail"));
        return spec.id();
    }

    /** A command is not retried by the store: its caller repeats it after {@code unavailable}. */
    @Test
    @Timeout(300)
    void a_cancel_that_its_caller_repeats_is_requested_once() throws Exception {
        uncut("cancel", this::cancelRunning);
        while (cutsOf("cancel") < CUTS) {
            Job job = cut("cancel", this::cancelRunning);
            assertThat(job.state()).isEqualTo(JobState.CANCELLING);
            assertThat(calm.jobs().find(job.id())).contains(job);
            assertThat(calm.jobs().events(EventQuery.of(job.id())))
                    .filteredOn(event -> event.type() == EventType.CANCEL_REQUESTED)
                    .hasSize(1);
        }
        print("cancel");
    }

    private Job cancelRunning() {
        JobSpec spec = specs(false).get(0);
        calm.jobs().insert(List.of(spec));
        calm.claimById().claimOne(spec.id(), Claim.newKey(), "worker", LEASE);
        JobCommand cancel = JobCommand.cancel(spec.id(), "anna", "late", null);
        try {
            return store.jobs().execute(cancel).job();
        } catch (LonghaulException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            return store.jobs().execute(cancel).job();
        }
    }

    private List<ClaimedJob> claim() {
        List<ClaimedJob> jobs = List.of();
        // While the server has not noticed the last cut, that connection's locks hide jobs: a claim may return none.
        for (int i = 0; jobs.isEmpty() && i < 100; i++) {
            jobs = store.work().claim(ClaimRequest.of("worker", List.of(QUEUE), null, BATCH, LEASE));
        }
        assertThat(jobs).hasSize(BATCH);
        assertThat(calm.work().claimed(jobs.get(0).claim().key())).containsExactlyInAnyOrderElementsOf(jobs);
        return jobs;
    }

    private static List<String> keys(List<ClaimedJob> jobs) {
        return jobs.stream().map(job -> job.claim().toString()).toList();
    }

    @Test
    @Timeout(300)
    void an_outcome_is_applied_once() throws Exception {
        var ended = new HashMap<ClaimedJob, Transition>();
        for (String way : List.of("succeed", "other outcomes")) {
            boolean succeed = way.equals("succeed");
            uncut(way, () -> complete(succeed, ended));
            while (cutsOf(way) < CUTS) {
                assertThat(cut(way, () -> complete(succeed, ended))).allMatch(Verdict::won);
            }
        }
        print("succeed", "other outcomes");
        ended.forEach(this::checkEnded);
    }

    private List<Verdict> complete(boolean succeed, Map<ClaimedJob, Transition> ended) {
        calm.jobs().insert(specs(false));
        List<ClaimedJob> jobs = calm.work().claim(ClaimRequest.of("worker", List.of(QUEUE), null, BATCH, LEASE));
        var transitions = new ArrayList<Transition>();
        for (ClaimedJob job : jobs) {
            Transition transition =
                    succeed ? Transition.succeed(job.claim(), "\"done\"") : other(job.claim(), transitions.size());
            transitions.add(transition);
            ended.put(job, transition);
        }
        return store.work().apply(transitions);
    }

    private static Transition other(Claim claim, int which) {
        Failure failure = Failure.of(Failure.EXCEPTION, "as planned");
        return switch (which % 4) {
            case 0 -> Transition.retry(claim, RunAt.after(LATER), failure);
            case 1 -> Transition.snooze(claim, RunAt.after(LATER));
            case 2 -> Transition.crashed(claim, failure);
            default -> Transition.fail(claim, failure);
        };
    }

    private void checkEnded(ClaimedJob claimed, Transition transition) {
        Job job = calm.jobs().find(claimed.claim().jobId()).orElseThrow();
        List<Run> runs = calm.jobs().runs(job.id());
        RunStatus expected = transition instanceof Transition.Succeed
                ? RunStatus.SUCCEEDED
                : transition instanceof Transition.Snooze ? RunStatus.SNOOZED : RunStatus.FAILED;
        int run = claimed.claim().run();
        assertThat(runs.get(run - 1).status()).isEqualTo(expected);
        assertThat(job.tally().crashes()).isLessThanOrEqualTo((int)
                runs.stream().filter(one -> one.status() == RunStatus.FAILED).count());
    }
}
