package dev.longhaul.memory;

import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.spi.Inserted;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The progress of an intake's writers. */
final class MemoryIntakeProgress implements IntakeProgress {
    private final Map<Integer, Stored> progress = new TreeMap<>();
    private final Map<Integer, String> writers = new HashMap<>();
    private final Map<JobId, JobId> aliases = new HashMap<>();
    private final JobIndex jobs;
    private final Inserts inserts;
    private final StoreLock lock;
    private final StoreListeners listeners;

    MemoryIntakeProgress(JobIndex jobs, Inserts inserts, StoreLock lock) {
        this.jobs = jobs;
        this.inserts = inserts;
        this.lock = lock;
        this.listeners = lock.storeListeners();
    }

    @Override
    public Map<Integer, Long> takeOver(String writer, Set<Integer> partitions) {
        return lock.write(now -> {
            var offsets = new HashMap<Integer, Long>();
            for (int partition : partitions) {
                writers.put(partition, writer);
                Stored last = progress.computeIfAbsent(partition, unknown -> new Stored(unknown, 0, Instant.EPOCH));
                offsets.put(partition, last.nextOffset());
            }
            return offsets;
        });
    }

    @Override
    public List<JobId> insert(List<JobSpec> specs) {
        List<Inserted> inserted =
                listeners.insert(() -> lock.write(now -> inserts.insert(specs, now, Limits.OLDEST_DEFERRED)));
        return inserted.stream().map(one -> one.job().id()).toList();
    }

    @Override
    public boolean stored(String writer, List<Stored> partitions) {
        return lock.write(now -> {
            boolean mine = partitions.stream().allMatch(one -> writer.equals(writers.get(one.partition())));
            if (mine) {
                partitions.forEach(one -> progress.put(one.partition(), one));
            }
            return mine;
        });
    }

    @Override
    public void alias(List<Alias> more) {
        lock.update(now -> more.forEach(alias -> aliases.putIfAbsent(alias.id(), alias.first())));
    }

    @Override
    public Optional<JobId> aliasOf(JobId id) {
        return lock.read(() -> Optional.ofNullable(aliases.get(id)).filter(first -> jobs.find(first) != null));
    }

    @Override
    public List<Stored> progress() {
        return lock.read(() -> List.copyOf(progress.values()));
    }
}
