package dev.longhaul.postgres.upkeep;

import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.stats.PostgresStats;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Upkeep;
import dev.longhaul.spi.Upkeep.Retained;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Overdue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The tasks of the leader. Signals changed jobs, and notifies listeners. */
public final class PostgresUpkeep implements Upkeep {
    private final Leader leader;
    private final AbandonedRuns abandoned;
    private final Retention retention;
    private final PostgresStats stats;
    private final Signals signals;
    private final StoreListeners listeners;

    public PostgresUpkeep(
            StoreBase base, Leader leader, AbandonedRuns abandoned, Retention retention, PostgresStats stats) {
        this.leader = leader;
        this.abandoned = abandoned;
        this.retention = retention;
        this.stats = stats;
        this.signals = base.signals();
        this.listeners = base.listeners();
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Optional<Leadership> leadership = leader.lead(holder, term, lease);
        listeners.report(listener -> listener.leads(leadership.isPresent()));
        return leadership;
    }

    @Override
    public void resign(Leadership leadership) {
        listeners.report(listener -> listener.leads(false));
        leader.resign(leadership);
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        List<Expired> expired = abandoned.expire(leadership, max);
        expired.forEach(one -> signals.changed(one.claim().jobId()));
        listeners.report(listener -> listener.expired(expired));
        return expired;
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        List<Overdue> overdue = abandoned.endOverdue(leadership, max);
        for (Overdue one : overdue) {
            signals.changed(one.claim().jobId());
            listeners.report(listener -> listener.ended(one.claim(), one.ended()));
        }
        return overdue;
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        Retained retained = retention.retain(leadership, keep);
        stats.forgetOld();
        return retained;
    }
}
