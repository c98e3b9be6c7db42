package dev.longhaul.postgres.faults;

import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A worker in a separate process, to be killed: arguments are the database's URL, its own id, its ledger's path and its
 * slots. Jobs are timers, so that one thread runs them all. Commands come by standard input: {@code hold <phase>} makes
 * it print {@code at <phase> <job>} when it next reaches that phase, and wait for {@code go}; {@code insist} makes it
 * write about all jobs it believes to hold. It exits when its input ends.
 */
final class WorkerProgram {
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final Duration RENEWAL = Duration.ofMillis(600);
    private static final long NAP_MILLIS = 8;

    private final LedgerWorker worker;
    private final int slots;
    private final List<Running> running = new ArrayList<>();
    private final BlockingQueue<String> signals = new LinkedBlockingQueue<>();
    private volatile @Nullable Phase holdAt;
    private volatile boolean insist;
    private long renewAt = System.nanoTime() + RENEWAL.toNanos();
    private long claimAt = System.nanoTime();

    private WorkerProgram(LedgerWorker worker, int slots) {
        this.worker = worker;
        this.slots = slots;
    }

    /** A running job; its times are of {@link System#nanoTime()}. */
    private static final class Running {
        final ClaimedJob job;
        final long saveAt;
        final long dueAt;
        boolean saved;

        Running(ClaimedJob job) {
            int millis = Work.of(job.job().spec().params()).millis();
            this.job = job;
            this.saveAt = System.nanoTime() + millis * 500_000L;
            this.dueAt = System.nanoTime() + millis * 1_000_000L;
            // About every third job reports: enough to be fenced, while the others run as fast as possible.
            this.saved = job.claim().jobId().value().getLeastSignificantBits() % 3 != 0;
        }
    }

    public static void main(String[] arguments) throws Exception {
        var ledger = Ledger.file(Path.of(arguments[2]));
        try (var pool = TestPostgres.pool(arguments[0], 4);
                Store store = PostgresStore.open(pool)) {
            var worker = new LedgerWorker(arguments[1], store, ledger);
            var program = new WorkerProgram(worker, Integer.parseInt(arguments[3]));
            var commands = new Thread(program::obey, "commands");
            commands.setDaemon(true);
            commands.start();
            say("ready");
            program.work();
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void obey() {
        try (var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.startsWith("hold ")) {
                    holdAt = Phase.valueOf(line.substring(5));
                } else if (line.equals("insist")) {
                    insist = true;
                } else {
                    signals.add(line);
                }
            }
        } catch (IOException e) {
            // The controlling process has exited.
        }
        Runtime.getRuntime().halt(0);
    }

    private void pass(Phase phase, ClaimedJob job) throws InterruptedException {
        if (holdAt == phase) {
            holdAt = null;
            say("at " + phase + " " + job.claim().jobId());
            signals.take();
        }
    }

    private void work() throws InterruptedException {
        while (true) {
            claimAndStart();
            if (insist) {
                insist = false;
                insist();
            }
            save();
            applyDue();
            renew();
            Thread.sleep(NAP_MILLIS);
        }
    }

    private void claimAndStart() throws InterruptedException {
        int free = slots - running.size();
        if (free == 0 || System.nanoTime() < claimAt) {
            return;
        }
        List<ClaimedJob> jobs = worker.claim(free, LEASE);
        claimAt = System.nanoTime() + (jobs.isEmpty() ? 10 : 2) * NAP_MILLIS * 1_000_000L;
        if (!jobs.isEmpty()) {
            pass(Phase.CLAIMED, jobs.get(0));
        }
        for (ClaimedJob job : jobs) {
            worker.start(job);
            running.add(new Running(job));
        }
        if (!jobs.isEmpty()) {
            pass(Phase.RUNNING, jobs.get(0));
        }
    }

    private void save() {
        long now = System.nanoTime();
        var reporting = new ArrayList<ClaimedJob>();
        for (Running one : running) {
            if (!one.saved && now >= one.saveAt) {
                one.saved = true;
                reporting.add(one.job);
            }
        }
        if (!reporting.isEmpty()) {
            worker.save(reporting);
        }
    }

    private void applyDue() throws InterruptedException {
        long now = System.nanoTime();
        var outcomes = new ArrayList<LedgerWorker.Queued>();
        for (Iterator<Running> each = running.iterator(); each.hasNext(); ) {
            Running one = each.next();
            if (now >= one.dueAt) {
                each.remove();
                outcomes.add(worker.finish(one.job));
            }
        }
        if (outcomes.isEmpty()) {
            return;
        }
        pass(Phase.OUTCOME_QUEUED, outcomes.get(0).job());
        worker.announce(outcomes);
        pass(Phase.COMMIT_UNDER_WAY, outcomes.get(0).job());
        worker.apply(outcomes);
    }

    private void renew() {
        if (running.isEmpty() || System.nanoTime() < renewAt) {
            return;
        }
        renewAt = System.nanoTime() + RENEWAL.toNanos();
        List<LeaseRenewal> answers =
                worker.renew(running.stream().map(one -> one.job).toList(), LEASE);
        for (int i = answers.size() - 1; i >= 0; i--) {
            if (!answers.get(i).held()) {
                running.remove(i);
            }
        }
    }

    /** Writes about every job it believes to hold in all possible ways, regardless of earlier verdicts. */
    private void insist() {
        List<ClaimedJob> held = running.stream().map(one -> one.job).toList();
        running.clear();
        worker.save(held);
        worker.renew(held, LEASE);
        List<LedgerWorker.Queued> outcomes = held.stream().map(worker::finish).toList();
        worker.announce(outcomes);
        worker.apply(outcomes);
        say("insisted " + held.size());
    }
}
