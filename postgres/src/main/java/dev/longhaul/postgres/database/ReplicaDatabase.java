package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads lists and counts from a replica, and from the primary while the replica is unavailable. A background check
 * detects when it is available again, so callers never wait for a replica that is known to be unavailable.
 */
public final class ReplicaDatabase extends Database {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaDatabase.class);
    private static final int VALID_SECONDS = 2;

    private final Database primary;
    private final Duration pause;
    private final AtomicLong fallbacks = new AtomicLong();
    private final AtomicBoolean checking = new AtomicBoolean();
    private volatile boolean down;
    private volatile long checkedAt;

    /** @param pause between two checks of an unavailable replica */
    public ReplicaDatabase(DataSource replica, Database primary, Duration pause) {
        super(replica);
        this.primary = primary;
        this.pause = pause;
    }

    /** How many reads the primary has served instead of the replica. */
    public long fallbacks() {
        return fallbacks.get();
    }

    public boolean up() {
        return !down;
    }

    @Override
    public <T> T single(RepeatableWork<T> work) {
        if (!down) {
            try {
                return super.single(work);
            } catch (LonghaulException e) {
                failed(e);
            }
        } else {
            checkAgain();
        }
        fallbacks.incrementAndGet();
        return primary.single(work);
    }

    /**
     * Handles a read that failed on the replica. The read is repeated on the primary, because the cause may concern the
     * replica only, such as a schema that is not replicated yet.
     */
    private void failed(LonghaulException failure) {
        if (failure.code() != ErrorCode.UNAVAILABLE) {
            LOG.debug("reading from the replica failed; reading from the primary", failure);
            return;
        }
        boolean wasUp = !down;
        checkedAt = System.nanoTime();
        down = true;
        if (wasUp) {
            LOG.warn(
                    "read replica unavailable; reading lists and counts from the primary, checking the replica every {} s: {}",
                    pause.toSeconds(),
                    failure.getMessage());
        }
    }

    private void checkAgain() {
        if (System.nanoTime() - checkedAt < pause.toNanos() || !checking.compareAndSet(false, true)) {
            return;
        }
        var check = new Thread(this::check, "longhaul-replica-check");
        check.setDaemon(true);
        try {
            check.start();
        } catch (Error e) {
            // No thread could be started, so the next read after the pause tries again.
            checkedAt = System.nanoTime();
            checking.set(false);
            LOG.debug("starting the read replica check failed; retrying after the pause", e);
        }
    }

    private void check() {
        try (Connection connection = connections().open()) {
            if (connection.isValid(VALID_SECONDS)) {
                down = false;
                LOG.info("read replica available again; reading lists and counts from it");
            }
        } catch (Exception e) {
            LOG.debug("the read replica is still unavailable", e);
        } finally {
            checkedAt = System.nanoTime();
            checking.set(false);
        }
    }
}
