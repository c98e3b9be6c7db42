package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due jobs while there are free slots. Sleeps until a signal arrives, until the exact time the next job is due,
 * or for about a second, whichever comes first: signals may be lost, so the poll guarantees progress.
 */
final class ClaimLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimLoop.class);
    private static final long POLL = TimeUnit.SECONDS.toNanos(1);
    /**
     * How long to wait for a signal after the last due job, before the store is queried for the next due time: signals
     * often come close together.
     */
    private static final long LINGER = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int FIRST_CLAIM = 128;
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LAST_LIFE_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

    private final WorkSource source;
    private final WorkerConfig config;
    private final Set<DefinitionRef> definitions;
    private final LiveRuns live;
    private final Consumer<List<LiveRun>> giveBack;
    private final LastLife lastLife;
    private final RunAhead ahead = new RunAhead();
    private final Waker waker = new Waker();
    private final List<String> queues;
    private final List<QueueGroup> groups;
    private @Nullable Slots slots;
    private volatile int lowWater;
    /** Whether the loop waits for free slots; if not, a freed slot does not trigger a claim. */
    private volatile boolean full;

    private volatile boolean closed;
    private @Nullable BackgroundLoop loop;
    private long pause = SHORTEST_PAUSE;
    private int burst = FIRST_CLAIM;
    /** The groups that had no slot left in the last turn. */
    private final List<QueueGroup> capped = new ArrayList<>();

    private volatile @Nullable UUID unanswered;

    /** The jobs of one claim, and how long the claim took. */
    private record Claimed(List<ClaimedJob> jobs, Duration took) {}

    /** Queues that are claimed together, and the most slots they may take. */
    private record QueueGroup(List<String> queues, int most) {}

    ClaimLoop(
            WorkSource source,
            WorkerConfig config,
            Set<DefinitionRef> definitions,
            LiveRuns live,
            Consumer<List<LiveRun>> giveBack) {
        this.source = source;
        this.config = config;
        this.definitions = definitions;
        this.live = live;
        this.giveBack = giveBack;
        this.queues = List.copyOf(config.queues().keySet());
        this.groups = groups(config.queues());
        this.lastLife = new LastLife(live);
    }

    private static List<QueueGroup> groups(Map<String, Integer> queues) {
        var groups = new ArrayList<QueueGroup>();
        var open = new ArrayList<String>();
        queues.forEach((queue, most) -> {
            if (most == WorkerConfig.ANY) {
                open.add(queue);
            } else {
                groups.add(new QueueGroup(List.of(queue), most));
            }
        });
        if (!open.isEmpty()) {
            Collections.sort(open);
            groups.add(new QueueGroup(List.copyOf(open), WorkerConfig.ANY));
        }
        return groups;
    }

    void start(Slots threads) {
        slots = threads;
        loop = BackgroundLoop.vital("claims", () -> {
            if (!closed) {
                turn(threads);
            }
            return !closed;
        });
    }

    /** Wakes the loop. Call when there may be due jobs or free slots. */
    void wake() {
        waker.wake();
    }

    /** Wakes the loop if it is time to claim more. Call when a run has ended. */
    void runEnded() {
        Slots threads = slots;
        if (full && threads != null && threads.waiting() <= lowWater) {
            waker.wake();
        }
    }

    /** Stops claiming. */
    void stop() {
        closed = true;
        waker.wake();
        BackgroundLoop started = loop;
        if (started != null) {
            if (!started.close(TimeUnit.SECONDS.toMillis(2))) {
                started.close(TimeUnit.SECONDS.toMillis(1));
            }
            giveBackUnanswered();
        }
    }

    /**
     * Gives back the jobs of a claim whose response was lost. If the database stays unavailable, their leases expire.
     */
    private void giveBackUnanswered() {
        UUID lost = unanswered;
        if (lost == null) {
            return;
        }
        try {
            List<Transition> back = source.claimed(lost).stream()
                    .map(claimed -> Transition.giveBack(claimed.claim()))
                    .toList();
            if (!back.isEmpty()) {
                source.apply(back);
            }
        } catch (LonghaulException e) {
            LOG.warn(
                    "could not give back the jobs of a claim without a response; their leases will expire: {}",
                    e.getMessage());
        }
    }

    private void turn(Slots threads) throws InterruptedException {
        UUID lost = unanswered;
        if (lost != null) {
            start(threads, timed(() -> source.claimed(lost)));
            unanswered = null;
        }
        long now = System.nanoTime();
        if (threads.oldestWaiting(now) > RunAhead.longestWait()) {
            giveBack.accept(threads.takeWaiting());
        }
        if (lastLifeTurn(threads, now)) {
            waker.sleep(LAST_LIFE_PAUSE);
            return;
        }
        ahead.learn(threads.ended(), threads.nanos());
        int more = ahead.jobs(config.slots() - longRunning(now));
        lowWater = more / 2;
        int room = room(threads, more);
        if (room <= 0) {
            full = true;
            // Checked again after setting full: a run that ended in between did not wake this loop.
            if (room(threads, more) <= 0) {
                waker.sleep(threads.waiting() > 0 ? RunAhead.longestWait() : POLL);
            }
            full = false;
            return;
        }
        boolean maybeMore = claim(threads, Math.min(room, burst));
        // No job starts before the whole claim has arrived, so the first claim after an idle period is small.
        burst = maybeMore ? Math.min(2 * burst, ClaimRequest.LARGEST_BATCH) : FIRST_CLAIM;
        // A queue at its slot limit waits for one of its own runs to end; one may have ended before full was set.
        full = !capped.isEmpty();
        boolean freed = capped.stream().anyMatch(group -> used(group) < group.most());
        if (!maybeMore && !freed && !waker.sleep(LINGER) && !closed) {
            sleepUntilDue();
        }
        full = false;
    }

    /**
     * Returns how many jobs to claim; none while more than half of the jobs that may be claimed ahead still wait for a
     * slot.
     */
    private static int room(Slots threads, int more) {
        int waiting = threads.waiting();
        int room = threads.free() + more - waiting;
        return waiting > 0 && room < more / 2 ? 0 : room;
    }

    /** Claims for every group; returns whether one of them got as many as it requested, so that more may be due. */
    private boolean claim(Slots threads, int room) throws InterruptedException {
        boolean maybeMore = false;
        capped.clear();
        int left = room;
        for (QueueGroup group : groups) {
            int max = Math.min(left, group.most() == WorkerConfig.ANY ? left : group.most() - used(group));
            if (max <= 0) {
                capped.add(group);
                continue;
            }
            // Every claimed job has a free slot, so it counts as begun with its claim.
            boolean all = max <= threads.free() - threads.waiting();
            ClaimRequest request =
                    request(group.queues(), max).beginning(all ? ClaimRequest.Begin.ORDINARY : ClaimRequest.Begin.NONE);
            int claimed = start(threads, claim(request)).size();
            left -= claimed;
            maybeMore |= claimed == max;
        }
        if (left < room) {
            pause = SHORTEST_PAUSE;
        }
        // Round robin: the group served first in this turn is served last in the next.
        Collections.rotate(groups, -1);
        return maybeMore;
    }

    /** Claims; if the response is lost, the next turn reads the jobs of this claim from the store. */
    private Claimed claim(ClaimRequest request) {
        unanswered = request.batch();
        Claimed claimed = timed(() -> source.claim(request));
        unanswered = null;
        return claimed;
    }

    private static Claimed timed(Supplier<List<ClaimedJob>> claiming) {
        long began = System.nanoTime();
        List<ClaimedJob> jobs = claiming.get();
        return new Claimed(jobs, Duration.ofNanos(System.nanoTime() - began));
    }

    private ClaimRequest request(List<String> queues, int max) {
        return ClaimRequest.of(config.workerId(), queues, definitions, max, config.lease());
    }

    private List<LiveRun> start(Slots threads, Claimed claimed) throws InterruptedException {
        var runs = new ArrayList<LiveRun>(claimed.jobs().size());
        for (ClaimedJob job : claimed.jobs()) {
            LiveRun run = live.adoptOrGiveBack(job, claimed.took());
            if (run != null) {
                runs.add(run);
            }
        }
        threads.run(runs);
        if (runs.size() < claimed.jobs().size()) {
            // The next jobs may fail in the same way, so wait before the next claim.
            waker.sleep(POLL);
        }
        return runs;
    }

    private int used(QueueGroup group) {
        return (int) live.all().stream()
                .filter(run ->
                        !run.ended() && group.queues().contains(run.job().spec().queue()))
                .count();
    }

    private int longRunning(long now) {
        int running = 0;
        for (LiveRun run : live.all()) {
            if (run.running() && now - run.startedAt() > RunAhead.longRunning()) {
                running++;
            }
        }
        return running;
    }

    /** Sleeps until the next job is due, or for a growing pause when due jobs cannot be claimed. */
    private void sleepUntilDue() throws InterruptedException {
        Duration until = source.untilNextDue(WorkFilter.of(queues, definitions)).orElse(Duration.ofDays(1));
        long poll = (long) (POLL * ThreadLocalRandom.current().nextDouble(0.75, 1.25));
        if (until.isZero()) {
            // Due jobs that cannot be claimed: their queue is paused, their definition is at its limit, or other
            // workers hold their locks.
            waker.sleep(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        } else {
            waker.sleep(Math.min(until.toNanos(), poll));
        }
    }

    /**
     * Whether this turn is reserved for a job on its last life, which must run without recently started jobs beside it.
     */
    private boolean lastLifeTurn(Slots threads, long now) throws InterruptedException {
        LastLife.Turn turn = lastLife.turn(
                now,
                () -> source.untilNextDue(WorkFilter.of(queues, definitions).forLastLife())
                        .isPresent());
        if (turn != LastLife.Turn.CLAIM) {
            return turn == LastLife.Turn.WAIT;
        }
        List<LiveRun> runs = start(
                threads,
                claim(request(queues, 1).beginning(ClaimRequest.Begin.ORDINARY).forLastLife()));
        lastLife.claimed(runs.isEmpty() ? null : runs.get(0), now);
        return !runs.isEmpty();
    }
}
