package dev.longhaul.postgres.work;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.work.Verdict;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Writes batches about running jobs around rows that another session keeps locked, so that one of them holds up no other. */
public final class AroundLocks {
    private final NamedSql lockedClaims = NamedSql.load("work/locked_claims");
    private final Database database;

    public AroundLocks(Database database) {
        this.database = database;
    }

    /** Writes the batch; if a lock is not released in time, all but the locked ones. One verdict each, in order. */
    public <T> List<Verdict> write(List<T> batch, Function<T, Claim> claimOf, Function<List<T>, List<Verdict>> write) {
        try {
            return write.apply(batch);
        } catch (LonghaulException e) {
            if (!(e.getCause() instanceof SQLException cause) || !Database.lockTimeout(cause)) {
                throw e;
            }
            Set<Claim> locked = locked(batch.stream().map(claimOf).toList());
            if (locked.isEmpty()) {
                throw e;
            }
            List<T> others = batch.stream()
                    .filter(one -> !locked.contains(claimOf.apply(one)))
                    .toList();
            Iterator<Verdict> written = (others.isEmpty() ? List.<Verdict>of() : write.apply(others)).iterator();
            var verdicts = new ArrayList<Verdict>();
            for (T one : batch) {
                verdicts.add(locked.contains(claimOf.apply(one)) ? Verdict.LOCKED : written.next());
            }
            return verdicts;
        }
    }

    private Set<Claim> locked(List<Claim> claims) {
        return database.single((connection, again) -> {
            try (Call call = lockedClaims.on(connection)) {
                return new HashSet<>(Claims.bind(call, claims).list(Claims::claimOf));
            }
        });
    }
}
