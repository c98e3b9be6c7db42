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
 * Claims jobs for workers elsewhere that wait for them. One thread claims for all that wait, each time for the one that has
 * waited longest; it looks when a signal tells of work, when the next job is due, and about every second. What is left by clients
 * that have gone is given back.
 */
public final class Dequeues implements AutoCloseable {
    private static final long POLL = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    /** After the last due job the next one is often near; until then nobody is asked when it is due. */
    private static final long LINGER = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int MOST_AT_ONCE = 500;

    private final Store store;
    private final Map<Lane, Waiting> lanes = new HashMap<>();
    private final Set<Lane> hinted = new HashSet<>();
    private final Queue<Claim> returning = new ConcurrentLinkedQueue<>();
    private final Queue<UUID> unanswered = new ConcurrentLinkedQueue<>();
    private final Subscription signals;
    private @Nullable BackgroundLoop loop;
    private long pause = SHORTEST_PAUSE;
    private long lookedAt = System.nanoTime();
    private boolean closed;

    /** Polls that want the same jobs. */
    private record Lane(String queue, @Nullable Set<DefinitionRef> definitions) {
        static Lane of(DequeuePoll poll) {
            return new Lane(poll.queue(), poll.definitions());
        }
    }

    /** The polls of a lane, those that have waited longest first. */
    private static final class Waiting {
        final Set<DequeuePoll> polls = new LinkedHashSet<>();
    }

    Dequeues(Store store) {
        this.store = store;
        this.signals = store.work().listen(this::told);
    }

    /** Lets the poll wait for jobs, those that are due now among them, until it is ended. */
    synchronized void begin(DequeuePoll poll) {
        requireOpen();
        Lane lane = Lane.of(poll);
        // Whoever waits already is given what there is before this one, or has just been told that there is nothing.
        boolean nothingThere = lanes.containsKey(lane) && !hinted.contains(lane);
        join(lane, poll);
        if (!nothingThere) {
            hint(lane);
        }
    }

    /** Gives the poll what is due now. May block. */
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

    /** The poll waits no more. */
    synchronized void leave(DequeuePoll poll) {
        Lane lane = Lane.of(poll);
        Waiting waiting = lanes.get(lane);
        if (waiting != null && waiting.polls.remove(poll) && waiting.polls.isEmpty()) {
            lanes.remove(lane);
            hinted.remove(lane);
        }
    }

    /** Nobody works on these jobs: others get them at once. */
    void giveBack(List<Claim> claims) {
        if (!claims.isEmpty()) {
            returning.addAll(claims);
            wake();
        }
    }

    /** How many polls wait. */
    public synchronized int waiting() {
        return lanes.values().stream().mapToInt(one -> one.polls.size()).sum();
    }

    /** Ends all polls; what was given back is stored first. */
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
        lanes.values().forEach(waiting -> all.addAll(waiting.polls));
        return all;
    }

    private void requireOpen() {
        if (closed) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "this server is draining; come back, or ask another");
        }
    }

    private void join(Lane lane, DequeuePoll poll) {
        if (closed) {
            poll.end();
        } else if (poll.isOpen()) {
            lanes.computeIfAbsent(lane, key -> new Waiting()).polls.add(poll);
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

    private void told(Signal signal) {
        if (signal.kind() != Signal.Kind.WORK) {
            return;
        }
        synchronized (this) {
            pause = SHORTEST_PAUSE;
            lanes.keySet().stream()
                    .filter(lane -> lane.queue().equals(signal.subject()))
                    .forEach(this::hint);
        }
    }

    private void hint(Lane lane) {
        if (lanes.containsKey(lane)) {
            hinted.add(lane);
            notifyAll();
        }
    }

    private boolean pass() throws InterruptedException {
        settle();
        Set<Lane> told = awaitHints(LINGER);
        if (told.isEmpty() && returning.isEmpty()) {
            told = awaitHints(untilDue());
        }
        if (isClosed()) {
            settle();
            return false;
        }
        told.forEach(this::serve);
        // Also while one lane is told of again and again: of what becomes due in others nobody tells.
        boolean lookIsDue = System.nanoTime() - lookedAt >= POLL;
        if (told.isEmpty() ? returning.isEmpty() : lookIsDue) {
            lookAround();
        }
        return true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The lanes that something was told of; none when that took too long, or there is something else to do. */
    private synchronized Set<Lane> awaitHints(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed && hinted.isEmpty() && returning.isEmpty(); ) {
            wait(left / 1_000_000 + 1);
            left = until - System.nanoTime();
        }
        Set<Lane> told = Set.copyOf(hinted);
        hinted.clear();
        return told;
    }

    /** How long until something is due, by what the store says: at most about a second, for signals may be lost. */
    private long untilDue() {
        long least = POLL;
        for (var group : groups().entrySet()) {
            least = Math.min(least, until(group).toNanos());
        }
        if (least > 0) {
            return least;
        }
        // Their queue is paused, their definition is at its limit, or others are at them right now.
        synchronized (this) {
            long wait = pause;
            pause = Math.min(2 * pause, POLL);
            return wait;
        }
    }

    /** The queues that somebody waits for, by the definitions that are wanted. */
    private synchronized Map<Wanted, List<String>> groups() {
        var groups = new HashMap<Wanted, List<String>>();
        lanes.keySet()
                .forEach(lane -> groups.computeIfAbsent(new Wanted(lane.definitions()), key -> new ArrayList<>())
                        .add(lane.queue()));
        return groups;
    }

    private record Wanted(@Nullable Set<DefinitionRef> definitions) {}

    private Duration until(Map.Entry<Wanted, List<String>> group) {
        return store.work()
                .untilNextDue(WorkFilter.of(group.getValue(), group.getKey().definitions()))
                .orElse(Duration.ofDays(1));
    }

    /** Serves every lane that something is due for, whether or not anybody has told. */
    private void lookAround() {
        lookedAt = System.nanoTime();
        for (var group : groups().entrySet()) {
            Set<DefinitionRef> definitions = group.getKey().definitions();
            boolean due = until(group).isZero();
            boolean lastLife = store.work()
                    .untilNextDue(WorkFilter.of(group.getValue(), definitions).forLastLife())
                    .isPresent();
            for (String queue : group.getValue()) {
                if (due) {
                    serve(new Lane(queue, definitions));
                }
                if (lastLife) {
                    serveLastLives(new Lane(queue, definitions));
                }
            }
        }
    }

    /** Claims for those who have waited longest. If there may be more it is told of again: other lanes have their turn first. */
    private void serve(Lane lane) {
        List<DequeuePoll> polls = first(lane);
        int room = Math.min(MOST_AT_ONCE, room(polls));
        if (serve(polls, room, false) == room) {
            synchronized (this) {
                hint(lane);
            }
        }
    }

    /** Those that have crashed twice are claimed apart from others, one by one. */
    private void serveLastLives(Lane lane) {
        for (int claimed = 1; claimed > 0; ) {
            List<DequeuePoll> polls = first(lane);
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

    /** Jobs are to be had: looks again soon. */
    private synchronized void restart() {
        pause = SHORTEST_PAUSE;
    }

    /** The poll that has waited longest, and others of the same worker, in their order: they may share a claim and its key. */
    private synchronized List<DequeuePoll> first(Lane lane) {
        Waiting waiting = lanes.get(lane);
        if (waiting == null) {
            return List.of();
        }
        DequeuePoll first = waiting.polls.iterator().next();
        return waiting.polls.stream().filter(first::sharesWith).toList();
    }

    /** Claims so many jobs and hands them over, to the first as many as it takes; answers how many jobs that were. */
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
            // Of those who have gone meanwhile, or all when something went wrong.
            giveBack(left.stream().map(ClaimedJob::claim).toList());
        }
        return claimed;
    }

    private List<ClaimedJob> claim(ClaimRequest request) {
        try {
            return new ArrayList<>(store.work().claim(request));
        } catch (RuntimeException | Error e) {
            // It may have won all the same.
            unanswered.add(request.batch());
            wake();
            throw e;
        }
    }

    /** Gives back what nobody works on. */
    private void settle() {
        for (UUID batch = unanswered.peek(); batch != null; batch = unanswered.peek()) {
            store.work().claimed(batch).forEach(job -> returning.add(job.claim()));
            unanswered.remove(batch);
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
