package dev.longhaul.postgres.database;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.internal.loop.RareLog;
import dev.longhaul.internal.store.Changes;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes waiting workers here and in other processes. The first NOTIFY goes with the transaction that stores the work; those that
 * follow within a moment are gathered and sent by a thread of their own, because transactions that notify queue for a lock, and
 * every notification wakes everybody. Which jobs have changed is told less often. Only hints: what gets lost is found by the
 * next poll.
 */
public final class Signals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    public static final String CHANNEL = "longhaul";
    private static final long GATHER_MILLIS = 1;
    /** When to tell of work that its caller commits some time after it was stored. */
    private static final List<Long> LATER_MILLIS = List.of(10L, 100L);

    private static final int LISTEN_MILLIS = 100;
    private static final long RECONNECT_MILLIS = 1000;
    /** How long closing waits for the last signals to be sent. */
    private static final long FAREWELL_MILLIS = 2000;

    /** How often to check that a silent connection is still alive, and how long the check may take. */
    private static final Duration PING = Duration.ofSeconds(30);

    private static final int PING_SECONDS = 5;
    private static final String CONNECTION_FAILURE = "08006";

    private static final long NEVER = Long.MAX_VALUE;
    private static final RareLog LISTENER_ERRORS = new RareLog(LOG);

    private final Connections connections;
    /** Tells our notifications from those of others. */
    private final String own = UUID.randomUUID().toString();

    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    private final Set<Signal> pending = new LinkedHashSet<>();
    /** By the millisecond of sending, rounded up to tens: however many come in, few are kept. */
    private final NavigableMap<Long, Set<Signal>> later = new TreeMap<>();

    private final Changes changes = new Changes();
    /** When to tell of changed jobs next, and when that was done last. */
    private long changesAt = NEVER;

    private long changesToldAt = millis() - Changes.INTERVAL_MILLIS;
    private long lastSent = System.nanoTime();
    private final Duration ping;
    private final boolean listens;
    private final BackgroundLoop sender;
    private @Nullable BackgroundLoop receiver;
    /** Whether signals of others may have got lost since this process began to listen. */
    private boolean missed;

    private volatile boolean closed;

    /** @param listens whether LISTEN works on these connections; otherwise only this process's own signals are delivered */
    public Signals(Connections connections, boolean listens) {
        this(connections, listens, PING);
    }

    /** @param ping how often to check that a silent connection is still alive */
    Signals(Connections connections, boolean listens, Duration ping) {
        this.connections = connections;
        this.listens = listens;
        this.ping = ping;
        this.sender = BackgroundLoop.helper("signal-sender", this::sendPass);
    }

    /** What to notify others with in the transaction that stores the work; null if the last one was sent just now. */
    public @Nullable String notification(Signal signal) {
        synchronized (pending) {
            long now = System.nanoTime();
            if (!pending.isEmpty() || now - lastSent < TimeUnit.MILLISECONDS.toNanos(GATHER_MILLIS)) {
                return null;
            }
            lastSent = now;
            return text(signal);
        }
    }

    /** Tells those who listen here. */
    public void deliver(Signal signal) {
        listeners.forEach(listener -> deliver(listener, signal));
    }

    /** Tells those who listen here now, and others after a moment at most. */
    public void send(Signal signal) {
        deliver(signal);
        synchronized (pending) {
            pending.add(signal);
            pending.notifyAll();
        }
    }

    /** Sends the signal a little later, and once more somewhat later. */
    public void sendLater(Signal signal) {
        long now = millis();
        synchronized (pending) {
            for (long delay : LATER_MILLIS) {
                long at = (now + delay + 9) / 10 * 10;
                later.computeIfAbsent(at, key -> new LinkedHashSet<>()).add(signal);
            }
            pending.notifyAll();
        }
    }

    /** Tells of the changed job with the next signal about those, here and elsewhere. */
    public void changed(JobId id) {
        if (changes.add(id)) {
            synchronized (pending) {
                changesAt = Math.max(millis() + Changes.GATHER_MILLIS, changesToldAt + Changes.INTERVAL_MILLIS);
                pending.notifyAll();
            }
        }
    }

    private static long millis() {
        return System.nanoTime() / 1_000_000;
    }

    public Subscription listen(Consumer<Signal> listener) {
        listeners.add(listener);
        synchronized (this) {
            if (listens && receiver == null && !closed) {
                receiver = BackgroundLoop.helper("signal-receiver", this::receivePass);
            }
        }
        return () -> listeners.remove(listener);
    }

    @Override
    public void close() {
        closed = true;
        synchronized (pending) {
            pending.notifyAll();
        }
        sender.close(FAREWELL_MILLIS);
        BackgroundLoop started;
        synchronized (this) {
            started = receiver;
        }
        if (started != null) {
            started.interrupt();
            started.close(FAREWELL_MILLIS);
        }
    }

    private boolean sendPass() throws InterruptedException {
        boolean last = closed;
        try {
            sendNext();
        } catch (SQLException e) {
            LOG.debug("a wake-up was not sent; the next poll finds the work", e);
        }
        return !last;
    }

    private void sendNext() throws SQLException, InterruptedException {
        Set<Signal> postponed;
        List<Signal> batch;
        synchronized (pending) {
            awaitOne();
            postponed = due();
            pending.addAll(postponed);
            batch = List.copyOf(pending);
            pending.clear();
            lastSent = System.nanoTime();
        }
        postponed.forEach(this::deliver);
        if (!batch.isEmpty()) {
            send(batch);
            Thread.sleep(GATHER_MILLIS);
        }
    }

    /** Waits for a signal that is to be sent now; whoever calls this holds the lock of {@link #pending}. */
    private void awaitOne() throws InterruptedException {
        while (pending.isEmpty() && !closed) {
            long next = later.isEmpty() ? changesAt : Math.min(changesAt, later.firstKey());
            if (next == NEVER) {
                pending.wait();
            } else if (next > millis()) {
                pending.wait(next - millis() + 1);
            } else {
                return;
            }
        }
    }

    /** What was to be told later, and is now. */
    private Set<Signal> due() {
        var due = new LinkedHashSet<Signal>();
        Map<Long, Set<Signal>> passed = later.headMap(millis(), true);
        passed.values().forEach(due::addAll);
        passed.clear();
        if (closed || changesAt <= millis()) {
            changesAt = NEVER;
            changesToldAt = millis();
            due.addAll(changes.take());
        }
        return due;
    }

    private void send(List<Signal> batch) throws SQLException {
        try (Connection connection = connections.open()) {
            connection.setAutoCommit(true);
            // Not worth a disk flush: the work it tells of is committed already.
            try (PreparedStatement notify =
                    connection.prepareStatement("select set_config('synchronous_commit', 'off', true)," + " pg_notify('"
                            + CHANNEL + "', signal) from unnest(?::text[]) as s (signal)")) {
                Object[] texts = batch.stream().map(this::text).toArray();
                notify.setArray(1, connection.createArrayOf("text", texts));
                notify.execute();
            }
        }
    }

    private String text(Signal signal) {
        return signal.kind() + " " + signal.subject() + " " + own;
    }

    private boolean receivePass() throws InterruptedException {
        try {
            return !closed && listen();
        } catch (SQLException e) {
            LOG.debug("no wake-ups until the database is available again; polls find the work", e);
            missed = true;
            Thread.sleep(RECONNECT_MILLIS);
            return true;
        } catch (RuntimeException | Error e) {
            missed = true;
            throw e;
        }
    }

    /** Listens on one connection for as long as it lives; returns false when there is nothing to listen to. */
    private boolean listen() throws SQLException {
        try (Connection connection = connections.open();
                Statement statement = connection.createStatement()) {
            if (!connection.isWrapperFor(PGConnection.class)) {
                LOG.info("this DataSource hides PostgreSQL's connections: no wake-ups between processes, only polls");
                return false;
            }
            try {
                connection.setAutoCommit(true);
                statement.execute("listen " + CHANNEL);
                if (missed) {
                    // What other processes did meanwhile is unknown.
                    deliver(new Signal(Signal.Kind.CHANGED, "*"));
                    missed = false;
                }
                receive(connection);
                statement.execute("unlisten " + CHANNEL);
            } catch (SQLException | RuntimeException | Error e) {
                // It may hang, and must not go back to the pool as a listening one.
                connection.abort(Runnable::run);
                throw e;
            }
        }
        return true;
    }

    private void receive(Connection connection) throws SQLException {
        PGConnection notifying = connection.unwrap(PGConnection.class);
        long heard = System.nanoTime();
        while (!closed) {
            PGNotification[] notifications = notifying.getNotifications(LISTEN_MILLIS);
            if (notifications != null && notifications.length > 0) {
                heard = System.nanoTime();
                for (PGNotification notification : notifications) {
                    parse(notification.getParameter()).ifPresent(this::deliver);
                }
            } else if (System.nanoTime() - heard > ping.toNanos()) {
                // A connection that a firewall or a dead host has cut is silent, like one without notifications.
                if (!connection.isValid(pingSeconds())) {
                    throw new SQLException("the connection for notifications is dead", CONNECTION_FAILURE);
                }
                heard = System.nanoTime();
            }
        }
    }

    private int pingSeconds() {
        return (int) Math.max(1, Math.min(PING_SECONDS, ping.toSeconds()));
    }

    /** The signal in a notification; empty for our own, and for one of a later version, which this one does not know. */
    private Optional<Signal> parse(String text) {
        String[] parts = text.split(" ", 3);
        // Our own were delivered when they were sent; hearing them again would make every worker here look twice.
        if (parts.length < 3 || parts[2].equals(own)) {
            return Optional.empty();
        }
        for (Signal.Kind kind : Signal.Kind.values()) {
            if (parts[0].equals(kind.name())) {
                return Optional.of(new Signal(kind, parts[1]));
            }
        }
        return Optional.empty();
    }

    private static void deliver(Consumer<Signal> listener, Signal signal) {
        try {
            listener.accept(signal);
        } catch (RuntimeException | Error e) {
            // What it was notified of is committed: neither the caller nor other listeners may suffer.
            LISTENER_ERRORS.error("a listener failed on " + signal, e);
        }
    }
}
