package dev.longhaul.bench.measure;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.Signal;
import java.util.concurrent.atomic.AtomicLong;

/** An open store, and a second store that receives its signals as another process would. */
public final class Rig implements AutoCloseable {
    private final PostgresStore store;
    private final HikariDataSource pool;
    private final PostgresStore other;
    private final HikariDataSource otherPool;
    private final AtomicLong wakeUps = new AtomicLong();

    public Rig(PostgresStore store, HikariDataSource pool, PostgresStore other, HikariDataSource otherPool) {
        this.store = store;
        this.pool = pool;
        this.other = other;
        this.otherPool = otherPool;
        other.work().listen(signal -> wakeUps.addAndGet(signal.kind() == Signal.Kind.WORK ? 1 : 0));
    }

    public PostgresStore store() {
        return store;
    }

    /** Returns how many signals the second store has received. */
    public long wakeUps() {
        return wakeUps.get();
    }

    @Override
    public void close() {
        other.close();
        store.close();
        otherPool.close();
        pool.close();
    }
}
