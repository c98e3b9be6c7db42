package dev.longhaul.server.rpc;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs for waiting remote workers. One thread claims for all of them, first for the worker that has waited
 * longest. It polls the store when a signal reports new work, when the next job becomes due, and about every second.
 * Claims of disconnected clients are given back.
 */
public final class Dequeues implements AutoCloseable {
    private static final long POLL = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    /** How long the thread waits for a signal after a claim, before it queries when the next job is due. */
    private static final long LINGER = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int MOST_AT_ONCE = 500;

    private final Store store;
    private final Map<PollGroup, Waiting> groups = new HashMap<>();
    private final Set<PollGroup> hinted = new HashSet<>();
    private final Queue<Claim> returning = new ConcurrentLinkedQueue<>();
    private final Queue<UUID> unconfirmed = new ConcurrentLinkedQueue<>();
    private final Subscription signals;
    private @Nullable BackgroundLoop loop;
    private long pause = SHORTEST_PAUSE;
    private long polledAt = System.nanoTime();
    private boolean closed;

    /** The queue and the definitions that a poll requests. Polls with the same group request the same jobs. */
    private record PollGroup(String queue, @Nullable Set<DefinitionRef> definitions) {
        static PollGroup of(DequeuePoll poll) {
            return new PollGroup(poll.queue(), poll.definitions());
        }
    }

    /** The polls of a group, longest waiting first. */
    private static final class Waiting {
        final Set<DequeuePoll> polls = new LinkedHashSet<>();
    }

    Dequeues(Store store) {
        this.store = store;
        this.signals = store.work().listen(this::received);
    }

    /** Adds the poll. It gets due jobs, now and later, until it ends. */
    synchronized void begin(DequeuePoll poll) {
        requireOpen();
        PollGroup group = PollGroup.of(poll);
        // Earlier polls of the group get due jobs first. If no hint is pending, they have just found no jobs.
        boolean nothingThere = groups.containsKey(group) && !hinted.contains(group);
        join(group, poll);
        if (!nothingThere) {
            hint(group);
        }
    }

    /** Sends the jobs that are due now to the poll. May block. */
    void once(DequeuePoll poll) {
        synchronized (this) {
            requireOpen();
        }
        int claimed = claim(List.of(poll), Math.max(1, poll.room()), false);
        if (claimed == 0
                && store.work()
                        .untilNextDue(WorkFilter.of(List.of(poll.queue()), poll.definitions())
                                .forLastLife())
                        .isPresent()) {
            claim(List.of(poll), 1, true);
        }
    }

    /** Removes the poll. */
    synchronized void leave(DequeuePoll poll) {
        PollGroup group = PollGroup.of(poll);
        Waiting waiting = groups.get(group);
        if (waiting != null && waiting.polls.remove(poll) && waiting.polls.isEmpty()) {
            groups.remove(group);
            hinted.remove(group);
        }
    }

    /** Releases claims that no worker runs, so that other workers get the jobs immediately. */
    void giveBack(List<Claim> claims) {
        if (!claims.isEmpty()) {
            returning.addAll(claims);
            wake();
        }
    }

    /** Returns the number of waiting polls. */
    public synchronized int waiting() {
        return groups.values().stream().mapToInt(one -> one.polls.size()).sum();
    }

    /** Ends all polls and releases the claims that were given back. */
    @Override
    public void close() {
        List<DequeuePoll> open;
        BackgroundLoop started;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = all();
            started = loop;
            notifyAll();
        }
        signals.close();
        open.forEach(DequeuePoll::end);
        if (started != null) {
            started.close(TimeUnit.SECONDS.toMillis(2));
        }
    }

    private List<DequeuePoll> all() {
        var all = new ArrayList<DequeuePoll>();
        groups.values().forEach(waiting -> all.addAll(waiting.polls));
        return all;
    }

    private void requireOpen() {
        if (closed) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "this server is shutting down; try again, or connect to another server");
        }
    }

    private void join(PollGroup group, DequeuePoll poll) {
        if (closed) {
            poll.end();
        } else if (poll.isOpen()) {
            groups.computeIfAbsent(group, key -> new Waiting()).polls.add(poll);
            startLoop();
        }
    }

    private void startLoop() {
        if (loop == null) {
            loop = BackgroundLoop.vital("dequeues", this::pass);
        }
    }

    private synchronized void wake() {
        startLoop();
        notifyAll();
    }

    private void received(Signal signal) {
        if (signal.kind() != Signal.Kind.WORK) {
            return;
        }
        synchronized (this) {
            pause = SHORTEST_PAUSE;
            groups.keySet().stream()
                    .filter(group -> group.queue().equals(signal.subject()))
                    .forEach(this::hint);
        }
    }

    private void hint(PollGroup group) {
        if (groups.containsKey(group)) {
            hinted.add(group);
            notifyAll();
        }
    }

    private boolean pass() throws InterruptedException {
        settle();
        Set<PollGroup> ready = awaitHints(LINGER);
        if (ready.isEmpty() && returning.isEmpty()) {
            ready = awaitHints(untilDue());
        }
        if (isClosed()) {
            settle();
            return false;
        }
        ready.forEach(this::serve);
        // Polls all groups even while one group gets signals continuously: jobs that become due in other groups cause
        // no
        // signals.
        boolean pollDue = System.nanoTime() - polledAt >= POLL;
        if (ready.isEmpty() ? returning.isEmpty() : pollDue) {
            pollAll();
        }
        return true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Waits for hints and returns their groups. Returns none after the timeout, or when claims must be given back. */
    private synchronized Set<PollGroup> awaitHints(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed && hinted.isEmpty() && returning.isEmpty(); ) {
            wait(left / 1_000_000 + 1);
            left = until - System.nanoTime();
        }
        Set<PollGroup> groupsWithHint = Set.copyOf(hinted);
        hinted.clear();
        return groupsWithHint;
    }

    /** Returns the time until the next job is due, at most about a second, because signals may be lost. */
    private long untilDue() {
        long least = POLL;
        for (var requested : queuesByDefinitions().entrySet()) {
            least = Math.min(least, until(requested).toNanos());
        }
        if (least > 0) {
            return least;
        }
        // A job is due but cannot be claimed: its queue is paused, a concurrency limit is reached, or other workers
        // claim it. Wait longer.
        synchronized (this) {
            long wait = pause;
            pause = Math.min(2 * pause, POLL);
            return wait;
        }
    }

    /** Returns the queues of waiting polls, grouped by the requested definitions. */
    private synchronized Map<Requested, List<String>> queuesByDefinitions() {
        var queues = new HashMap<Requested, List<String>>();
        groups.keySet()
                .forEach(group -> queues.computeIfAbsent(new Requested(group.definitions()), key -> new ArrayList<>())
                        .add(group.queue()));
        return queues;
    }

    private record Requested(@Nullable Set<DefinitionRef> definitions) {}

    private Duration until(Map.Entry<Requested, List<String>> requested) {
        return store.work()
                .untilNextDue(
                        WorkFilter.of(requested.getValue(), requested.getKey().definitions()))
                .orElse(Duration.ofDays(1));
    }

    /** Claims for every group that has due jobs, with or without a hint. */
    private void pollAll() {
        polledAt = System.nanoTime();
        for (var requested : queuesByDefinitions().entrySet()) {
            Set<DefinitionRef> definitions = requested.getKey().definitions();
            boolean due = until(requested).isZero();
            boolean lastLife = store.work()
                    .untilNextDue(
                            WorkFilter.of(requested.getValue(), definitions).forLastLife())
                    .isPresent();
            for (String queue : requested.getValue()) {
                if (due) {
                    serve(new PollGroup(queue, definitions));
                }
                if (lastLife) {
                    serveLastLives(new PollGroup(queue, definitions));
                }
            }
        }
    }

    /**
     * Claims jobs for the polls of a group that have waited longest. If more jobs may be due, hints the group again,
     * after other groups.
     */
    private void serve(PollGroup group) {
        List<DequeuePoll> polls = first(group);
        int room = Math.min(MOST_AT_ONCE, room(polls));
        if (serve(polls, room, false) == room) {
            synchronized (this) {
                hint(group);
            }
        }
    }

    /** Claims jobs on their last life, which must be claimed separately and one at a time. */
    private void serveLastLives(PollGroup group) {
        for (int claimed = 1; claimed > 0; ) {
            List<DequeuePoll> polls = first(group);
            claimed = serve(polls, Math.min(1, room(polls)), true);
        }
    }

    private int serve(List<DequeuePoll> polls, int room, boolean lastLife) {
        int claimed = room == 0 ? 0 : claim(polls, room, lastLife);
        if (claimed > 0) {
            restart();
        }
        polls.stream().filter(poll -> poll.room() <= 0).forEach(this::leave);
        return claimed;
    }

    private static int room(List<DequeuePoll> polls) {
        return polls.stream().mapToInt(DequeuePoll::room).sum();
    }

    /** Resets the back-off after a successful claim. */
    private synchronized void restart() {
        pause = SHORTEST_PAUSE;
    }

    /** Returns the poll that has waited longest, followed by the polls that may share a claim with it. */
    private synchronized List<DequeuePoll> first(PollGroup group) {
        Waiting waiting = groups.get(group);
        if (waiting == null) {
            return List.of();
        }
        DequeuePoll first = waiting.polls.iterator().next();
        return waiting.polls.stream().filter(first::sharesWith).toList();
    }

    /** Claims up to {@code room} jobs and sends them to the polls in order. Returns the number of jobs. */
    private int claim(List<DequeuePoll> polls, int room, boolean lastLife) {
        ClaimRequest request = polls.get(0).request(room);
        List<ClaimedJob> left = claim(lastLife ? request.forLastLife() : request);
        int claimed = left.size();
        try {
            for (DequeuePoll poll : polls) {
                List<ClaimedJob> own = left.subList(0, Math.min(left.size(), poll.room()));
                giveBack(poll.give(List.copyOf(own)));
                own.clear();
            }
        } finally {
            // The remaining jobs: their polls have ended meanwhile, or an exception stopped the loop.
            giveBack(left.stream().map(ClaimedJob::claim).toList());
        }
        return claimed;
    }

    private List<ClaimedJob> claim(ClaimRequest request) {
        try {
            return new ArrayList<>(store.work().claim(request));
        } catch (RuntimeException | Error e) {
            // The claim may have succeeded although its response was lost.
            unconfirmed.add(request.batch());
            wake();
            throw e;
        }
    }

    /** Stores that claims are released which no worker runs. */
    private void settle() {
        for (UUID batch = unconfirmed.peek(); batch != null; batch = unconfirmed.peek()) {
            store.work().claimed(batch).forEach(job -> returning.add(job.claim()));
            unconfirmed.remove(batch);
        }
        List<Claim> claims = List.copyOf(returning);
        if (!claims.isEmpty()) {
            List<Verdict> verdicts =
                    store.work().apply(claims.stream().map(Transition::giveBack).toList());
            for (int i = 0; i < claims.size(); i++) {
                if (verdicts.get(i).kind() != Verdict.Kind.LOCKED) {
                    returning.remove(claims.get(i));
                }
            }
        }
    }
}
