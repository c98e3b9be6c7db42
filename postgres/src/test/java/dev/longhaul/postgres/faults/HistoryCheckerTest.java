package dev.longhaul.postgres.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.postgres.faults.Work.Outcome;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The checker accepts a correct store, and finds exactly the bug of each broken one. */
@Tag("full")
class HistoryCheckerTest {
    private static final DefinitionRef PLAIN = new DefinitionRef("plain", 1);
    private static final DefinitionRef LIMITED = new DefinitionRef("limited", 1);
    private static final int LIMIT = 2;
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final MemoryStore sound = new MemoryStore();
    private final Ledger.InMemory ledger = new Ledger.InMemory();
    private final List<JobSpec> asked = new ArrayList<>();

    @Test
    void a_sound_store_passes() throws InterruptedException {
        assertThat(check(record(sound))).isEmpty();
    }

    static Stream<Arguments> bugs() {
        return Stream.of(
                bug(Violation.Kind.LOST, BrokenStore.LosesOne::new),
                bug(Violation.Kind.DOUBLED, BrokenStore.HandsOutTwice::new),
                bug(Violation.Kind.STALE_SUCCESS, sound -> new BrokenStore.Unfenced(sound, false)),
                bug(Violation.Kind.STALE_PROGRESS, sound -> new BrokenStore.Unfenced(sound, true)),
                bug(Violation.Kind.EARLY_RUN, BrokenStore.RunsEarly::new),
                bug(Violation.Kind.OVER_LIMIT, BrokenStore.Unlimited::new),
                bug(Violation.Kind.WRONG_ORDER, BrokenStore.Reverses::new),
                bug(Violation.Kind.TERMINAL_LEFT, BrokenStore.RevivesFailed::new));
    }

    private static Arguments bug(Violation.Kind kind, Function<Store, BrokenStore> store) {
        return Arguments.of(kind, store);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bugs")
    void each_planted_bug_is_found_and_nothing_else(Violation.Kind kind, Function<Store, BrokenStore> broken)
            throws InterruptedException {
        List<Violation> violations = check(record(broken.apply(sound).asStore()));
        System.out.println("planted bug " + kind + ": " + violations);
        assertThat(violations).isNotEmpty().extracting(Violation::kind).containsOnly(kind);
    }

    @Test
    void a_missing_event_is_found() throws InterruptedException {
        History history = changed(record(sound), stored -> {
            List<JobEvent> events = new ArrayList<>(stored.events());
            events.removeIf(event -> event.position() == 2);
            return new History.Stored(stored.job(), stored.runs(), events);
        });
        assertThat(check(history)).extracting(Violation::kind).contains(Violation.Kind.EVENT_GAP);
    }

    @Test
    void a_missing_run_is_found() throws InterruptedException {
        History history = changed(record(sound), stored -> {
            List<Run> runs = new ArrayList<>(stored.runs());
            runs.removeIf(run -> run.run() == 1);
            return new History.Stored(stored.job(), runs, stored.events());
        });
        assertThat(check(history)).extracting(Violation::kind).contains(Violation.Kind.MISCOUNTED);
    }

    private static History changed(History history, Function<History.Stored, History.Stored> change) {
        Map<JobId, History.Stored> stored = new HashMap<>();
        history.stored().forEach((id, one) -> stored.put(id, change.apply(one)));
        return new History(history.asked(), history.limits(), history.entries(), stored);
    }

    private static List<Violation> check(History history) {
        return HistoryChecker.check(history, LONG);
    }

    /** Runs two workers through all kinds of failures, and records them. */
    private History record(Store store) throws InterruptedException {
        StoreContract.limitRuns(store, LIMITED.key(), LIMIT);
        var a = new LedgerWorker("a", store, ledger);
        var b = new LedgerWorker("b", store, ledger);
        loseALease(store, a, b);
        claimByPriority(store, a, b);
        claimUpToTheLimit(store, a);
        waitUntilDue(store, a);
        failForGood(store, a);
        return History.of(asked, Map.of(LIMITED.key(), LIMIT), ledger.entries(), sound);
    }

    private void loseALease(Store store, LedgerWorker a, LedgerWorker b) throws InterruptedException {
        enqueue(store, spec(PLAIN, Outcome.SUCCEED));
        List<ClaimedJob> lost = a.claim(1, SHORT);
        lost.forEach(a::start);
        a.save(lost);
        var expired = Upkeep.expire(store);
        while (expired.isEmpty()) {
            Thread.sleep(10);
            expired = Upkeep.expire(store);
        }
        ledger.write(expired.stream()
                .map(one -> Entry.expired("upkeep", one.claim(), one.state()))
                .toList());
        List<ClaimedJob> taken = b.claim(1, LONG);
        taken.forEach(b::start);
        a.save(lost);
        a.renew(lost, LONG);
        complete(a, lost);
        complete(b, taken);
    }

    private void claimByPriority(Store store, LedgerWorker a, LedgerWorker b) {
        enqueue(
                store,
                spec(PLAIN, Outcome.SUCCEED),
                spec(PLAIN, Outcome.SUCCEED).priority(5),
                spec(PLAIN, Outcome.SUCCEED).priority(10));
        List<ClaimedJob> jobs = a.claim(10, LONG);
        jobs.forEach(a::start);
        List<ClaimedJob> others = b.claim(10, LONG);
        others.forEach(b::start);
        complete(a, jobs);
        complete(b, others);
    }

    private void claimUpToTheLimit(Store store, LedgerWorker worker) {
        enqueue(store, spec(LIMITED, Outcome.SUCCEED), spec(LIMITED, Outcome.RETRY), spec(LIMITED, Outcome.SUCCEED));
        workOff(worker, asked.size());
    }

    private void waitUntilDue(Store store, LedgerWorker worker) {
        enqueue(store, spec(PLAIN, Outcome.SNOOZE).runTime(RunAt.at(store.now().plusMillis(200))));
        workOff(worker, asked.size());
    }

    private void failForGood(Store store, LedgerWorker worker) {
        enqueue(store, spec(PLAIN, Outcome.FAIL));
        workOff(worker, asked.size());
        run(worker);
    }

    /** Works until that many jobs have ended, except those that a broken store never hands out. */
    private void workOff(LedgerWorker worker, int jobs) {
        long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        long ended = 0;
        while (ended < jobs && System.nanoTime() < end) {
            run(worker);
            ended = asked.stream()
                    .filter(spec -> sound.jobs()
                            .find(spec.id())
                            .map(job -> job.state().terminal())
                            .orElse(true))
                    .count();
        }
    }

    private static void run(LedgerWorker worker) {
        List<ClaimedJob> jobs = worker.claim(10, LONG);
        jobs.forEach(worker::start);
        complete(worker, jobs);
    }

    private static void complete(LedgerWorker worker, List<ClaimedJob> jobs) {
        List<LedgerWorker.Queued> outcomes = jobs.stream().map(worker::finish).toList();
        worker.announce(outcomes);
        worker.apply(outcomes);
    }

    private static JobSpec.Builder spec(DefinitionRef definition, Outcome outcome) {
        return JobSpec.of(definition, new Work(0, outcome).params()).queue(LedgerWorker.QUEUE);
    }

    private void enqueue(Store store, JobSpec.Builder... builders) {
        List<JobSpec> specs = Stream.of(builders).map(JobSpec.Builder::build).toList();
        store.jobs().insert(specs);
        asked.addAll(specs);
    }
}
