package dev.longhaul.testkit;

import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.spi.Inserted;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A store in memory that also accepts jobs in the caller's transaction, so that code with {@code later(connection, …)}
 * can be tested without a separate database. If the end of the transaction is known, as in Spring, the jobs exist once
 * it commits. With a plain connection they exist immediately, even if it does not commit.
 */
public final class TestStore extends MemoryStore implements TransactionalInserts {
    private final MovableClock clock;

    public TestStore(MovableClock clock) {
        super(clock);
        this.clock = clock;
    }

    @Override
    public List<Inserted> insert(Connection connection, List<JobSpec> specs) {
        return jobs().insert(specs);
    }

    @Override
    public List<Inserted> insert(Connection connection, List<JobSpec> specs, Consumer<Runnable> afterCommit) {
        var inserted = new ArrayList<Inserted>();
        try (var uncommitted = new MemoryStore(clock)) {
            for (JobSpec spec : specs) {
                inserted.add(earlier(spec)
                        .orElseGet(
                                () -> uncommitted.jobs().insert(List.of(spec)).get(0)));
            }
        }
        afterCommit.accept(() -> jobs().insert(specs));
        return inserted;
    }

    private Optional<Inserted> earlier(JobSpec spec) {
        String key = spec.idempotencyKey();
        Integer version = spec.keyOfVersion() ? spec.definition().version() : null;
        return key == null
                ? Optional.empty()
                : jobs().find(spec.definition().key(), version, key).map(job -> new Inserted(job, false));
    }
}
