package dev.longhaul;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.json.Codec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/** The definitions that a process knows, by {@code key@version}; several versions of a key can coexist. */
public final class Registry {
    private volatile NavigableMap<DefinitionRef, JobDefinition<?, ?>> definitions = new ConcurrentSkipListMap<>();

    /** Adds a definition; fails if it is already registered. */
    public Registry register(JobDefinition<?, ?> definition) {
        // Fail here, not at the first job, if a type has no schema.
        requireSchemas(definition);
        if (definitions.putIfAbsent(definition.ref(), definition) != null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError(
                            "definition",
                            definition.ref().toString(),
                            "registered once; give changed code a new version")));
        }
        return this;
    }

    private static void requireSchemas(JobDefinition<?, ?> definition) {
        List.of(definition.params(), definition.result()).forEach(Codec::schema);
    }

    /** Replaces all definitions by those of {@code other}: for code that is reloaded while the process runs. */
    public void become(Registry other) {
        definitions = new ConcurrentSkipListMap<>(other.definitions);
    }

    public Optional<JobDefinition<?, ?>> find(DefinitionRef ref) {
        return Optional.ofNullable(definitions.get(ref));
    }

    /** The highest version of a key. */
    public Optional<JobDefinition<?, ?>> latest(String key) {
        var last = definitions.floorEntry(new DefinitionRef(key, Integer.MAX_VALUE));
        return Optional.ofNullable(last)
                .filter(entry -> entry.getKey().key().equals(key))
                .map(Map.Entry::getValue);
    }

    public boolean has(DefinitionRef ref) {
        return definitions.containsKey(ref);
    }

    public Set<DefinitionRef> names() {
        return Set.copyOf(definitions.keySet());
    }

    public Collection<JobDefinition<?, ?>> all() {
        return List.copyOf(definitions.values());
    }
}
