package dev.longhaul.memory;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Ended jobs whose hooks have not run yet, each with the time from which any worker may run them. */
final class DueHooks {
    private final Set<String> definitions = new HashSet<>();
    private final Map<JobId, Due> due = new HashMap<>();

    private record Due(StoredJob job, Instant availableAt) {}

    void register(String definitionKey, boolean any) {
        if (any) {
            definitions.add(definitionKey);
        } else {
            definitions.remove(definitionKey);
        }
    }

    /** Adds a job if it has ended and its definition has hooks. */
    void ended(StoredJob job, Instant availableAt) {
        if (job.state().terminal()
                && definitions.contains(job.spec().definition().key())) {
            due.put(job.id(), new Due(job, availableAt));
        }
    }

    List<StoredJob> take(Set<DefinitionRef> known, int max, Instant now, Duration hold) {
        due.values().removeIf(one -> !one.job().state().terminal());
        List<StoredJob> taken = due.values().stream()
                .filter(one -> !one.availableAt().isAfter(now))
                .filter(one -> known.contains(one.job().spec().definition()))
                .sorted(Comparator.comparing(Due::availableAt)
                        .thenComparing(one -> one.job().id()))
                .limit(max)
                .map(Due::job)
                .toList();
        taken.forEach(job -> due.put(job.id(), new Due(job, now.plus(hold))));
        return taken;
    }

    /** Returns whether the job's hooks were due. */
    boolean done(JobId id) {
        return due.remove(id) != null;
    }
}
