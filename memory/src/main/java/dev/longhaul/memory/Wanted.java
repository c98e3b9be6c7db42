package dev.longhaul.memory;

import dev.longhaul.job.DefinitionRef;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The jobs that a worker would take: of its queues, unless paused, and of the definitions it knows. */
record Wanted(Set<String> queues, @Nullable Set<DefinitionRef> definitions) implements Predicate<StoredJob> {
    /** The waiting jobs that a worker would take, in claim order. */
    static Stream<StoredJob> among(
            JobIndex jobs,
            Settings settings,
            List<String> queues,
            @Nullable Set<DefinitionRef> definitions,
            boolean lastLife) {
        return jobs.waiting().stream()
                .filter(of(queues, definitions, settings))
                .filter(job -> job.onLastLife() == lastLife);
    }

    static Wanted of(Collection<String> queues, @Nullable Set<DefinitionRef> definitions, Settings settings) {
        return new Wanted(
                Set.copyOf(queues.stream()
                        .filter(queue -> settings.pauseOf(queue) == null)
                        .toList()),
                definitions);
    }

    @Override
    public boolean test(StoredJob job) {
        return queues.contains(job.spec().queue())
                && (definitions == null || definitions.contains(job.spec().definition()));
    }
}
