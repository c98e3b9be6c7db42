package dev.longhaul.memory;

import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.spi.Inserted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Stores new jobs, all of a batch or none. The caller holds the store's lock. */
final class Inserts {
    private final JobIndex jobs;
    private final Settings settings;
    private final MemoryWebhooks webhooks;
    private final StoreLock lock;

    Inserts(JobIndex jobs, Settings settings, MemoryWebhooks webhooks, StoreLock lock) {
        this.webhooks = webhooks;
        this.jobs = jobs;
        this.settings = settings;
        this.lock = lock;
    }

    List<Inserted> insert(List<JobSpec> specs, Instant now) {
        return insert(specs, now, Limits.CLOCK_SKEW);
    }

    /** @param oldest how old new ids may be */
    List<Inserted> insert(List<JobSpec> specs, Instant now, Duration oldest) {
        var answers = new ArrayList<Inserted>();
        var added = new ArrayList<StoredJob>();
        try {
            for (JobSpec spec : specs) {
                StoredJob first = jobs.firstLike(spec);
                StoredJob job = first == null ? checked(spec, now, oldest) : first;
                if (first == null) {
                    jobs.add(job);
                    added.add(job);
                    webhooks.add(spec, now);
                }
                answers.add(new Inserted(job.view(now), first == null));
            }
        } catch (RuntimeException refused) {
            added.forEach(job -> {
                jobs.remove(job);
                webhooks.forget(job.id());
            });
            throw refused;
        }
        added.forEach(job -> lock.announce(job, now));
        return answers;
    }

    private static boolean farFrom(Instant now, JobSpec spec, Duration oldest) {
        Duration age = Duration.between(spec.id().madeAt(), now);
        return age.compareTo(oldest) > 0 || age.negated().compareTo(Limits.CLOCK_SKEW) > 0;
    }

    private StoredJob checked(JobSpec spec, Instant now, Duration oldest) {
        // In tests the store's clock may be moved by days, while ids still follow the machine's clock.
        if (farFrom(now, spec, oldest) && farFrom(Instant.now(), spec, oldest)) {
            throw Refusal.idOffClock(spec.id(), now);
        }
        Integer maxDepth = settings.maxDepthOf(spec.queue());
        if (!spec.hold() && maxDepth != null && jobs.depth(spec.queue()) >= maxDepth) {
            throw Refusal.queueFull(spec.queue(), maxDepth);
        }
        boolean late = oldest.compareTo(Limits.CLOCK_SKEW) > 0 && farFrom(now, spec, Limits.CLOCK_SKEW);
        return new StoredJob(spec, late ? spec.id().madeAt() : now, now);
    }
}
