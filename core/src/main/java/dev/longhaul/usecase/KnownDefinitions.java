package dev.longhaul.usecase;

import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.JsonSchema;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds definitions by name, in the code of this process and in the store's catalog. Settings that an operator has
 * declared override those of the code. Definitions from the catalog are cached for 1 s with their compiled schemas,
 * misses for 100 ms. With an intake, they are used for up to an hour while the catalog is unavailable, so that the jobs
 * can be checked that the intake accepts.
 */
final class KnownDefinitions {
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long UNKNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STALE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MOST_REMEMBERED = 1000;
    private static final String ALL = "";

    private final Registry registry;
    private final Catalog catalog;
    private final LongSupplier nanos;
    private final boolean intake;
    private final Map<String, Remembered<Known>> byName = new Bounded<>();
    private final Map<String, Remembered<Set<DefinitionRef>>> names = new Bounded<>();

    /**
     * A definition as needed to create and to show jobs.
     *
     * @param secrets the places that its schemas mark, in the catalog and in the code of this process
     */
    record Known(
            DefinitionRef ref,
            JsonSchema params,
            JsonSchema result,
            String queue,
            int maxAttempts,
            Duration timeout,
            boolean declared,
            JobSecrets secrets) {
        static Known of(JobDefinition<?, ?> definition) {
            return new Known(
                    definition.ref(),
                    definition.params().schema(),
                    definition.result().schema(),
                    definition.queue(),
                    definition.maxAttempts(),
                    definition.timeout(),
                    false,
                    JobSecrets.of(
                            definition.ref().key(),
                            definition.params().schema(),
                            definition.result().schema()));
        }

        Known hiding(JobSecrets more) {
            JobSecrets both = secrets.and(more);
            return both.equals(secrets)
                    ? this
                    : new Known(ref, params, result, queue, maxAttempts, timeout, declared, both);
        }

        /** Whether this entry takes precedence over the code of this process. */
        boolean overrides(Known code) {
            int newer = Integer.compare(ref.version(), code.ref.version());
            return newer > 0 || (newer == 0 && declared);
        }
    }

    KnownDefinitions(Registry registry, Catalog catalog, LongSupplier nanos) {
        this(registry, catalog, nanos, false);
    }

    /** @param intake whether jobs are accepted while the catalog is unavailable */
    KnownDefinitions(Registry registry, Catalog catalog, LongSupplier nanos, boolean intake) {
        this.registry = registry;
        this.catalog = catalog;
        this.nanos = nanos;
        this.intake = intake;
    }

    /** The definition of that name, in its highest version if none is given; fails when it is unknown. */
    Known require(String key, @Nullable Integer version) {
        return find(key, version).orElseThrow(() -> unknown(version == null ? key : key + "@" + version));
    }

    Optional<Known> find(String key, @Nullable Integer version) {
        Optional<JobDefinition<?, ?>> here =
                version == null ? registry.latest(key) : registry.find(new DefinitionRef(key, version));
        Optional<Known> elsewhere = elsewhere(key, version);
        if (here.isEmpty()) {
            return elsewhere;
        }
        Known code = Known.of(here.get());
        if (elsewhere.isEmpty()) {
            return Optional.of(code);
        }
        Known other = elsewhere.get();
        Known chosen = other.overrides(code) ? other : code;
        // The secret places of code and catalog both apply: an operator's declaration removes none.
        return Optional.of(
                other.ref().equals(code.ref()) ? chosen.hiding(code.secrets()).hiding(other.secrets()) : chosen);
    }

    /** The error for an unknown definition; suggests similar names. */
    private LonghaulException unknown(String name) {
        var known = new HashSet<>(registry.names());
        known.addAll(remembered(names, ALL, before -> namesElsewhere()).orElse(Set.of()));
        return new LonghaulException(
                ErrorCode.UNKNOWN_DEFINITION,
                List.of(new FieldError("definitionKey", name, NearNames.expected(name, known))));
    }

    private Set<DefinitionRef> namesElsewhere() {
        var all = new HashSet<DefinitionRef>();
        catalog.definitions().forEach(known -> all.add(known.ref()));
        return all;
    }

    private Optional<Known> elsewhere(String key, @Nullable Integer version) {
        return remembered(byName, version == null ? key : key + "@" + version, before -> {
            Optional<KnownDefinition> found =
                    version == null ? catalog.latest(key) : catalog.find(new DefinitionRef(key, version));
            return found.map(known -> compiled(known, before)).orElse(null);
        });
    }

    /** Compiles its schemas, unless they are unchanged. */
    private static Known compiled(KnownDefinition known, @Nullable Known before) {
        KnownDefinition.Defaults defaults = known.defaults();
        JsonSchema params = compiled(known, known.paramsSchema(), before == null ? null : before.params());
        JsonSchema result = compiled(known, known.resultSchema(), before == null ? null : before.result());
        JobSecrets secrets = JobSecrets.of(known.ref().key(), params, result);
        KnownDefinition.Schemas replaced = known.replaced();
        if (replaced != null) {
            // A declaration can add secret places to the registered schemas, but cannot remove any.
            secrets = secrets.and(JobSecrets.of(
                    known.ref().key(),
                    compiled(known, replaced.params(), null),
                    compiled(known, replaced.result(), null)));
        }
        return new Known(
                known.ref(),
                params,
                result,
                defaults.queue(),
                defaults.maxAttempts(),
                defaults.timeout(),
                known.declared(),
                secrets);
    }

    private static JsonSchema compiled(KnownDefinition known, String text, @Nullable JsonSchema before) {
        if (before != null && before.text().equals(text)) {
            return before;
        }
        try {
            return JsonSchema.parse(text);
        } catch (LonghaulException e) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "definition " + known.ref() + " has a schema that cannot be used: " + e.getMessage(),
                    e);
        }
    }

    /** A cached result of the catalog. */
    private static final class Remembered<T> {
        final @Nullable T value;
        final long at;
        /** A caller is refreshing the entry; meanwhile other callers use the cached value. */
        boolean renewing;

        Remembered(@Nullable T value, long at) {
            this.value = value;
            this.at = at;
        }
    }

    private interface LookUp<T> {
        @Nullable
        T after(@Nullable T before);
    }

    private <T> Optional<T> remembered(Map<String, Remembered<T>> memory, String name, LookUp<T> lookUp) {
        Remembered<T> last;
        synchronized (memory) {
            last = memory.get(name);
            if (last != null) {
                long fresh = last.value == null ? UNKNOWN_NANOS : KNOWN_NANOS;
                if (last.renewing || nanos.getAsLong() - last.at < fresh) {
                    return Optional.ofNullable(last.value);
                }
                last.renewing = true;
            }
        }
        Remembered<T> next = last;
        try {
            T found = lookUp.after(last == null ? null : last.value);
            next = new Remembered<>(found, nanos.getAsLong());
            return Optional.ofNullable(found);
        } catch (LonghaulException e) {
            @Nullable T stale = last == null || nanos.getAsLong() - last.at > STALE_NANOS ? null : last.value;
            if (!intake || e.code() != ErrorCode.UNAVAILABLE || stale == null) {
                throw e;
            }
            return Optional.of(stale);
        } finally {
            synchronized (memory) {
                if (next != null) {
                    next.renewing = false;
                    memory.put(name, next);
                }
            }
        }
    }

    /** Removes the least recently used entry. */
    private static final class Bounded<T> extends LinkedHashMap<String, Remembered<T>> {
        private static final long serialVersionUID = 1;

        Bounded() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Remembered<T>> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }
}
