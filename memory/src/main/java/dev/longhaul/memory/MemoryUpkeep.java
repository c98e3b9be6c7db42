package dev.longhaul.memory;

import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Upkeep;
import dev.longhaul.spi.Upkeep.Retained;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Overdue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Maintenance by the leader. */
final class MemoryUpkeep implements Upkeep {
    private final JobIndex jobs;
    private final Leader leader;
    private final DueHooks hooks;
    private final Commands commands;
    private final MemorySchedules schedules;
    private final MemoryWebhooks webhooks;
    private final StoreLock lock;
    private final StoreListeners listeners;

    MemoryUpkeep(
            JobIndex jobs,
            Leader leader,
            DueHooks hooks,
            Commands commands,
            MemorySchedules schedules,
            MemoryWebhooks webhooks,
            StoreLock lock) {
        this.jobs = jobs;
        this.leader = leader;
        this.hooks = hooks;
        this.commands = commands;
        this.schedules = schedules;
        this.webhooks = webhooks;
        this.lock = lock;
        this.listeners = lock.storeListeners();
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Leadership.check(holder, term, lease);
        Optional<Leadership> leadership = lock.write(now -> leader.lead(holder, term, lease, now));
        listeners.report(listener -> listener.leads(leadership.isPresent()));
        return leadership;
    }

    @Override
    public void resign(Leadership leadership) {
        listeners.report(listener -> listener.leads(false));
        lock.update(now -> leader.resign(leadership, now));
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        Instant lapsedBefore = leadership.lapsedBefore();
        if (lapsedBefore == null) {
            return List.of();
        }
        List<Expired> expired = lock.write(now -> {
            Instant limit = lapsedBefore.isAfter(now) ? now : lapsedBefore;
            List<StoredJob> lapsed = jobs.leased().stream()
                    .filter(job -> leader.leads(leadership) && job.lapsed(limit))
                    .limit(max)
                    .toList();
            return lapsed.stream().map(job -> expired(job, now)).toList();
        });
        listeners.report(listener -> listener.expired(expired));
        return expired;
    }

    private Expired expired(StoredJob job, Instant now) {
        Claim claim = job.claim();
        String workerId = job.workerId();
        EndedRun ended = commands.end(job, job.lapse(), null, now, now);
        return new Expired(claim, workerId, job.state(), ended.definitionKey());
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        return lock.write(now -> {
            List<StoredJob> overdue = jobs.leased().stream()
                    .filter(job -> leader.leads(leadership) && job.overdue(now))
                    .limit(max)
                    .toList();
            return overdue.stream().map(job -> overdue(job, now)).toList();
        });
    }

    private Overdue overdue(StoredJob job, Instant now) {
        Claim claim = job.claim();
        EndedRun ended = commands.end(job, job.overdueEnd(), null, now.plus(HookSource.HOOK_HEAD_START), now);
        lock.reportLater(listener -> listener.ended(claim, ended));
        return new Overdue(claim, job.workerId(), ended);
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        return lock.write(now -> {
            List<StoredJob> old = jobs.all().stream()
                    .filter(job -> leader.leads(leadership) && job.finishedBefore(now.minus(keep)))
                    .toList();
            for (StoredJob job : old) {
                jobs.remove(job);
                hooks.done(job.id());
                webhooks.forget(job.id());
            }
            if (leader.leads(leadership)) {
                schedules.forgetBefore(now.minus(keep));
                webhooks.forgetBefore(now.minus(keep), now);
            }
            return new Retained(old.size(), 0);
        });
    }
}
