package dev.longhaul.catalog;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings that an operator declares for a definition; they override the settings that workers register. A null field
 * is not set: the registered value applies, or the default if no worker has registered the definition.
 */
public record Declaration(
        DefinitionRef ref,
        @Nullable String paramsSchema,
        @Nullable String resultSchema,
        @Nullable String queue,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeout,
        @Nullable Integer concurrencyLimit) {

    /** The fields of a declaration. A change names the fields that it sets or resets. */
    public enum Field {
        QUEUE("queue"),
        MAX_ATTEMPTS("maxAttempts"),
        TIMEOUT("timeout"),
        CONCURRENCY_LIMIT("concurrencyLimit"),
        PARAMS_SCHEMA("paramsSchema"),
        RESULT_SCHEMA("resultSchema");

        private final String wireName;

        Field(String wireName) {
            this.wireName = wireName;
        }

        /** Its name in audit entries. */
        public String wireName() {
            return wireName;
        }
    }

    private static final String ANYTHING = "true";

    static Declaration of(KnownDefinition definition) {
        KnownDefinition.Defaults defaults = definition.defaults();
        return new Declaration(
                definition.ref(),
                definition.paramsSchema(),
                definition.resultSchema(),
                defaults.queue(),
                defaults.maxAttempts(),
                defaults.timeout(),
                defaults.concurrencyLimit());
    }

    /** Whether it sets no field. */
    public boolean empty() {
        return paramsSchema == null
                && resultSchema == null
                && queue == null
                && maxAttempts == null
                && timeout == null
                && concurrencyLimit == null;
    }

    /** This declaration with the named fields of {@code change}. */
    public Declaration with(Declaration change, Set<Field> named) {
        return new Declaration(
                ref,
                named.contains(Field.PARAMS_SCHEMA) ? change.paramsSchema : paramsSchema,
                named.contains(Field.RESULT_SCHEMA) ? change.resultSchema : resultSchema,
                named.contains(Field.QUEUE) ? change.queue : queue,
                named.contains(Field.MAX_ATTEMPTS) ? change.maxAttempts : maxAttempts,
                named.contains(Field.TIMEOUT) ? change.timeout : timeout,
                named.contains(Field.CONCURRENCY_LIMIT) ? change.concurrencyLimit : concurrencyLimit);
    }

    /** A declaration of that definition that sets nothing. */
    public static Declaration nothing(DefinitionRef ref) {
        return new Declaration(ref, null, null, null, null, null, null);
    }

    /** Checks all values and {@code by}; throws one exception with all problems. */
    public void check(String by) {
        new Problems()
                .require(
                        !by.isEmpty() && by.length() <= Limits.KEY && Text.storable(by),
                        "declaredBy",
                        by,
                        "1 to " + Limits.KEY + " characters, no NUL")
                .throwIfAny();
        KnownDefinition.checkSchemas(orElse(paramsSchema, ANYTHING), orElse(resultSchema, ANYTHING));
        checkDefaults();
    }

    /** Checks all values except the schemas; throws one exception with all problems. */
    public void checkDefaults() {
        over(null);
    }

    /** The defaults of the definition: the registered ones, if any, overridden by this declaration. */
    public KnownDefinition.Defaults over(KnownDefinition.@Nullable Defaults registered) {
        var base = registered == null
                ? new KnownDefinition.Defaults(
                        JobSpec.DEFAULT_QUEUE, JobSpec.DEFAULT_MAX_ATTEMPTS, JobSpec.DEFAULT_TIMEOUT, 0)
                : registered;
        return new KnownDefinition.Defaults(
                orElse(queue, base.queue()),
                orElse(maxAttempts, base.maxAttempts()),
                orElse(timeout, base.timeout()),
                orElse(concurrencyLimit, base.concurrencyLimit()));
    }

    /** The params schema with this declaration applied to the registered one. */
    public String paramsSchemaOver(@Nullable String registered) {
        return orElse(paramsSchema, orElse(registered, ANYTHING));
    }

    public String resultSchemaOver(@Nullable String registered) {
        return orElse(resultSchema, orElse(registered, ANYTHING));
    }

    private static <T> T orElse(@Nullable T value, T other) {
        return value == null ? other : value;
    }
}
