package dev.longhaul.postgres.faults;

import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Store;
import dev.longhaul.work.Expired;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Expires leases like the scheduler, records which, and samples a definition's count of running jobs. */
final class Upkeep implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 100;

    private final Store store;
    private final Ledger ledger;
    private final String url;
    private final String definitionKey;
    private final int limit;
    private final Thread thread = new Thread(this::run, "upkeep");
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;
    private int samples;
    private int mostRunning;

    Upkeep(Store store, Ledger ledger, String url, String definitionKey, int limit) {
        this.store = store;
        this.ledger = ledger;
        this.url = url;
        this.definitionKey = definitionKey;
        this.limit = limit;
        thread.start();
    }

    private void run() {
        try (Connection connection = DriverManager.getConnection(url)) {
            while (!closed) {
                ledger.write(expire(store).stream()
                        .map(expired -> Entry.expired("upkeep", expired.claim(), expired.state()))
                        .toList());
                sample(connection);
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (SQLException | InterruptedException | RuntimeException e) {
            failure = e;
        }
    }

    /** Ends every expired lease, without the delay that a leader observes after a gap. */
    static List<Expired> expire(Store store) {
        Leadership leads = store.upkeep()
                .lead("upkeep", Duration.ofHours(1), WorkerProgram.LEASE)
                .orElseThrow();
        return store.upkeep().expireLeases(new Leadership(leads.holder(), leads.epoch(), store.now()), 1000);
    }

    /** One statement, so one snapshot: the count and the running jobs must agree at any moment. */
    private void sample(Connection connection) throws SQLException {
        String sql = "select l.running, (select count(*) from longhaul.live_job j"
                + " where j.definition_key = l.definition_key and j.state >= 2)"
                + " from longhaul.definition_limit l where l.definition_key = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, definitionKey);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                int counted = row.getInt(1);
                int leased = row.getInt(2);
                if (counted != leased || leased > limit) {
                    throw new IllegalStateException(
                            definitionKey + ": counted " + counted + ", leased " + leased + ", limit " + limit);
                }
                samples++;
                mostRunning = Math.max(mostRunning, leased);
            }
        }
    }

    void check() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("upkeep failed", thrown);
        }
    }

    String summary() {
        return samples + " samples of the limited definition, at most " + mostRunning + " at once (limit " + limit
                + ")";
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
