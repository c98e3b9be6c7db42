package dev.longhaul.catalog;

import dev.longhaul.JobDefinition;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Limits;
import dev.longhaul.json.JsonSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A definition without its code.
 *
 * @param paramsSchema JSON Schema of its params
 * @param declaredBy the operator who declared some of its settings; null when a worker registered all of them
 * @param updatedAt when it was stored; ignored when a caller stores it
 * @param registeredBy the API key that registered it over RPC; null when it belongs to code loaded in a process with
 * access to the store, or to an operator
 * @param replaced the registered schemas that a declaration overrides; null where it overrides none
 */
public record KnownDefinition(
        DefinitionRef ref,
        String paramsSchema,
        String resultSchema,
        Defaults defaults,
        @Nullable String declaredBy,
        Instant updatedAt,
        @Nullable String registeredBy,
        @Nullable Schemas replaced) {

    public KnownDefinition(
            DefinitionRef ref,
            String paramsSchema,
            String resultSchema,
            Defaults defaults,
            @Nullable String declaredBy,
            Instant updatedAt,
            @Nullable String registeredBy) {
        this(ref, paramsSchema, resultSchema, defaults, declaredBy, updatedAt, registeredBy, null);
    }

    public KnownDefinition(
            DefinitionRef ref,
            String paramsSchema,
            String resultSchema,
            Defaults defaults,
            @Nullable String declaredBy,
            Instant updatedAt) {
        this(ref, paramsSchema, resultSchema, defaults, declaredBy, updatedAt, null);
    }

    /** The schemas of a definition's params and result. */
    public record Schemas(String params, String result) {}

    /**
     * Returns this definition with the registered schemas that it overrides: places that these mark as secret stay
     * secret. The arguments are null if no worker has registered the definition.
     */
    public KnownDefinition over(@Nullable String registeredParams, @Nullable String registeredResult) {
        if (registeredParams == null || registeredResult == null) {
            return this;
        }
        if (registeredParams.equals(paramsSchema) && registeredResult.equals(resultSchema)) {
            return this;
        }
        var registered = new Schemas(registeredParams, registeredResult);
        return new KnownDefinition(
                ref, paramsSchema, resultSchema, defaults, declaredBy, updatedAt, registeredBy, registered);
    }

    /** The settings of jobs whose callers do not override them. */
    public record Defaults(String queue, int maxAttempts, Duration timeout, int concurrencyLimit) {
        public Defaults {
            boolean timely = timeout.toSeconds() >= 1
                    && timeout.compareTo(Limits.LONGEST_TIMEOUT) <= 0
                    && timeout.toNanosPart() == 0;
            String timeouts = "whole seconds, 1 s to " + Limits.LONGEST_TIMEOUT.toDays() + " days";
            String attempts = "1 to " + Limits.MOST_ATTEMPTS;
            new Problems()
                    .require(Names.valid(queue), "queue", queue, Names.RULE)
                    .require(
                            maxAttempts >= 1 && maxAttempts <= Limits.MOST_ATTEMPTS,
                            "maxAttempts",
                            maxAttempts,
                            attempts)
                    .require(timely, "timeout", timeout, timeouts)
                    .require(concurrencyLimit >= 0, "concurrencyLimit", concurrencyLimit, ">= 0 (0 is none)")
                    .throwIfAny();
        }
    }

    /** The catalog entry of a definition whose code this process has. */
    public static KnownDefinition of(JobDefinition<?, ?> definition) {
        var defaults = new Defaults(
                definition.queue(), definition.maxAttempts(), definition.timeout(), definition.concurrencyLimit());
        return new KnownDefinition(
                definition.ref(),
                definition.params().schema().text(),
                definition.result().schema().text(),
                defaults,
                null,
                Instant.EPOCH);
    }

    public boolean declared() {
        return declaredBy != null;
    }

    /**
     * Throws unless a store can keep this definition. Checks only the sizes of the schemas, because the code that
     * registers them has already compiled them.
     */
    public void checkRegistered() {
        var problems = new Problems();
        requireSize(problems, "paramsSchema", paramsSchema);
        requireSize(problems, "resultSchema", resultSchema);
        problems.throwIfAny();
    }

    /** Throws unless both schemas follow the rules for schemas written by people. */
    public static void checkSchemas(String paramsSchema, String resultSchema) {
        new Problems()
                .add(schemaProblems("paramsSchema", paramsSchema))
                .add(schemaProblems("resultSchema", resultSchema))
                .throwIfAny();
    }

    /** Returns this definition with its author and the time at which it was stored. */
    public KnownDefinition storedAs(@Nullable String by, Instant at) {
        return new KnownDefinition(ref, paramsSchema, resultSchema, defaults, by, at, registeredBy, replaced);
    }

    /** Whether both definitions are equal, apart from their authors and the times at which they were stored. */
    public boolean sameAs(KnownDefinition other) {
        return ref.equals(other.ref)
                && paramsSchema.equals(other.paramsSchema)
                && resultSchema.equals(other.resultSchema)
                && defaults.equals(other.defaults);
    }

    private static void requireSize(Problems problems, String field, String schema) {
        int bytes = Text.utf8Length(schema);
        problems.require(
                bytes <= JsonSchema.MOST_BYTES, field, bytes + " bytes", "<= " + JsonSchema.MOST_BYTES + " bytes");
        problems.require(Text.storable(schema), field, "text with a NUL or half a surrogate pair", "storable text");
    }

    private static List<FieldError> schemaProblems(String field, String schema) {
        try {
            JsonSchema.parse(schema);
            return List.of();
        } catch (LonghaulException e) {
            return e.errors().stream()
                    .map(error -> new FieldError(
                            field + error.field().substring("schema".length()), error.value(), error.expected()))
                    .toList();
        }
    }
}
