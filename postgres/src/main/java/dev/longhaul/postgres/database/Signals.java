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
 * Sends signals to waiting workers here and in other processes. The first NOTIFY is part of the transaction that stores
 * the work; later ones within a millisecond are gathered and sent by a separate thread, because notifying transactions
 * queue for a lock, and every notification wakes all listeners. Signals about changed jobs are sent less often. Signals
 * may be lost: the next poll finds the work.
 */
public final class Signals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    public static final String CHANNEL = "longhaul";
    private static final long GATHER_MILLIS = 1;
    /** When to send a signal again if the caller commits the work some time after it was inserted. */
    private static final List<Long> LATER_MILLIS = List.of(10L, 100L);

    private static final int LISTEN_MILLIS = 100;
    private static final long RECONNECT_MILLIS = 1000;
    /** How long closing waits until the last signals are sent. */
    private static final long CLOSE_MILLIS = 2000;

    /** How often to check that a silent connection is still alive, and how long the check may take. */
    private static final Duration PING = Duration.ofSeconds(30);

    private static final int PING_SECONDS = 5;
    private static final String CONNECTION_FAILURE = "08006";

    private static final long NEVER = Long.MAX_VALUE;
    private static final RareLog LISTENER_ERRORS = new RareLog(LOG);

    private final Connections connections;
    /** Identifies the notifications that this process has sent. */
    private final String own = UUID.randomUUID().toString();

    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    private final Set<Signal> pending = new LinkedHashSet<>();
    /**
     * Delayed signals by send time in milliseconds. Times are rounded up to tens, so that few entries are kept for any
     * number of signals.
     */
    private final NavigableMap<Long, Set<Signal>> later = new TreeMap<>();

    private final Changes changes = new Changes();
    /** When to send signals about changed jobs next; {@link #changesSentAt} is the last time. */
    private long changesAt = NEVER;

    private long changesSentAt = millis() - Changes.INTERVAL_MILLIS;
    private long lastSent = System.nanoTime();
    private final Duration ping;
    private final boolean listens;
    private final BackgroundLoop sender;
    private @Nullable BackgroundLoop receiver;
    /** Whether signals of other processes may have been lost since this process started to listen. */
    private boolean missed;

    private volatile boolean closed;

    /**
     * @param listens whether LISTEN works on these connections; otherwise only this process's own signals are delivered
     */
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

    /** The payload of a NOTIFY in the transaction that stores the work; null if a notification was sent just before. */
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

    /** Notifies the listeners of this process. */
    public void deliver(Signal signal) {
        listeners.forEach(listener -> deliver(listener, signal));
    }

    /** Notifies the listeners of this process immediately, and other processes within milliseconds. */
    public void send(Signal signal) {
        deliver(signal);
        synchronized (pending) {
            pending.add(signal);
            pending.notifyAll();
        }
    }

    /** Sends the signal twice, after short delays. */
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

    /** Includes the job in the next signal about changed jobs, here and in other processes. */
    public void changed(JobId id) {
        if (changes.add(id)) {
            synchronized (pending) {
                changesAt = Math.max(millis() + Changes.GATHER_MILLIS, changesSentAt + Changes.INTERVAL_MILLIS);
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
        sender.close(CLOSE_MILLIS);
        BackgroundLoop started;
        synchronized (this) {
            started = receiver;
        }
        if (started != null) {
            started.interrupt();
            started.close(CLOSE_MILLIS);
        }
    }

    private boolean sendPass() throws InterruptedException {
        boolean last = closed;
        try {
            sendNext();
        } catch (SQLException e) {
            LOG.debug("sending a signal (NOTIFY) failed; the next poll finds the work", e);
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

    /** Waits until a signal is due; the caller holds the lock of {@link #pending}. */
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

    /** Removes and returns the delayed signals that are due. */
    private Set<Signal> due() {
        var due = new LinkedHashSet<Signal>();
        Map<Long, Set<Signal>> passed = later.headMap(millis(), true);
        passed.values().forEach(due::addAll);
        passed.clear();
        if (closed || changesAt <= millis()) {
            changesAt = NEVER;
            changesSentAt = millis();
            due.addAll(changes.take());
        }
        return due;
    }

    private void send(List<Signal> batch) throws SQLException {
        try (Connection connection = connections.open()) {
            connection.setAutoCommit(true);
            // The commit does not wait for a disk flush, because the signalled work is committed already.
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
            LOG.debug("no signals (LISTEN) until the database is available again; polling for work", e);
            missed = true;
            Thread.sleep(RECONNECT_MILLIS);
            return true;
        } catch (RuntimeException | Error e) {
            missed = true;
            throw e;
        }
    }

    /** Listens on one connection until it breaks; returns false when LISTEN is not possible. */
    private boolean listen() throws SQLException {
        try (Connection connection = connections.open();
                Statement statement = connection.createStatement()) {
            if (!connection.isWrapperFor(PGConnection.class)) {
                LOG.info("this DataSource hides PostgreSQL's connections: no LISTEN between processes, polling only");
                return false;
            }
            try {
                connection.setAutoCommit(true);
                statement.execute("listen " + CHANNEL);
                if (missed) {
                    // Signals sent during the reconnect are lost: treat all jobs as changed.
                    deliver(new Signal(Signal.Kind.CHANGED, "*"));
                    missed = false;
                }
                receive(connection);
                statement.execute("unlisten " + CHANNEL);
            } catch (SQLException | RuntimeException | Error e) {
                // The connection may hang, and must not return to the pool while it listens.
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
                // A connection cut by a firewall or a dead host is as silent as one without notifications.
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

    /**
     * Parses the signal in a notification; empty for notifications of this process, and for kinds of signals that only
     * a later version knows.
     */
    private Optional<Signal> parse(String text) {
        String[] parts = text.split(" ", 3);
        // Signals of this process were delivered when they were sent; a second delivery would make its workers poll
        // twice.
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
            // The signalled change is committed: a failing listener must affect neither the caller nor other listeners.
            LISTENER_ERRORS.error("a listener failed on " + signal, e);
        }
    }
}
