package dev.longhaul.server.rpc;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.rest.BuiltIn;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.client.WireTime;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A definition that a worker registers over RPC. Empty fields keep their registered values. A key that is restricted to
 * queues may register definitions of these queues only. If a definition belongs to another key or to loaded code, a
 * worker can only add secret places to it; only its owner and operators can change its settings. The next key that
 * changes a definition of a revoked key becomes its owner.
 */
final class WorkerRegistration implements Registration {
    private final RegisterDefinitionsRequest.Definition given;
    private final DefinitionRef ref;
    private final Caller caller;
    private final Set<String> revoked;

    private WorkerRegistration(RegisterDefinitionsRequest.Definition given, Caller caller, Set<String> revoked) {
        this.given = given;
        this.ref = DefinitionRef.parse(given.getDefinition());
        this.caller = caller;
        this.revoked = revoked;
    }

    /**
     * Throws if the request is invalid regardless of the registered definition.
     *
     * @param revoked ids of revoked keys
     */
    static WorkerRegistration of(RegisterDefinitionsRequest.Definition given, Caller caller, Set<String> revoked) {
        var registration = new WorkerRegistration(given, caller, revoked);
        registration.merged(null);
        KnownDefinition.checkSchemas(
                orElse(given.getParamsSchema(), BuiltIn.ANYTHING), orElse(given.getResultSchema(), BuiltIn.ANYTHING));
        return registration;
    }

    @Override
    public DefinitionRef ref() {
        return ref;
    }

    @Override
    public KnownDefinition decide(List<Present> versions) {
        KnownDefinition before = versions.stream()
                .filter(one -> one.effective().ref().equals(ref))
                .map(Present::registered)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        KnownDefinition after = merged(before);
        if (before != null && before.sameAs(after)) {
            requireQueue(after.defaults().queue());
            return after;
        }
        requireBuiltInUnchanged(versions);
        requireQueues(after, versions);
        if (before == null || owner().equals(before.registeredBy())) {
            return after;
        }
        if (before.registeredBy() == null || !caller.may(Role.OPERATOR)) {
            requireNotWeaker("paramsSchema", before.paramsSchema(), after.paramsSchema());
            requireNotWeaker("resultSchema", before.resultSchema(), after.resultSchema());
        }
        return ofAnother(before, after);
    }

    private String owner() {
        UUID key = caller.keyId();
        return key == null ? caller.name() : key.toString();
    }

    /** Merges a change into a definition that belongs to another owner. Only more secret places are allowed. */
    private KnownDefinition ofAnother(KnownDefinition before, KnownDefinition after) {
        String owner = before.registeredBy();
        if (caller.may(Role.OPERATOR)) {
            return owned(after, after.paramsSchema(), after.resultSchema(), owner);
        }
        if (owner != null && revoked.contains(owner)) {
            return after;
        }
        requireSame(owner, "queue", before.defaults().queue(), after.defaults().queue());
        requireSame(
                owner,
                "maxAttempts",
                before.defaults().maxAttempts(),
                after.defaults().maxAttempts());
        requireSame(
                owner, "timeout", before.defaults().timeout(), after.defaults().timeout());
        requireSame(
                owner,
                "concurrencyLimit",
                before.defaults().concurrencyLimit(),
                after.defaults().concurrencyLimit());
        return owned(
                before,
                hidingBoth(before.paramsSchema(), after.paramsSchema()),
                hidingBoth(before.resultSchema(), after.resultSchema()),
                owner);
    }

    private static KnownDefinition owned(
            KnownDefinition definition, String paramsSchema, String resultSchema, @Nullable String owner) {
        return new KnownDefinition(
                definition.ref(), paramsSchema, resultSchema, definition.defaults(), null, Instant.EPOCH, owner);
    }

    /** Returns the owner's schema with the secret places of the other schema added. */
    private static String hidingBoth(String owners, String other) {
        JsonSchema schema = JsonSchema.parse(owners);
        JsonSchema both = schema.hidingAlso(JsonSchema.parse(other));
        return both.equals(schema) ? owners : both.text();
    }

    private static void requireSame(@Nullable String owner, String field, Object before, Object after) {
        if (!before.equals(after)) {
            String who = owner == null ? "the loaded code" : "the key that registered it";
            throw denied(
                    field, Problem.brief(after.toString()), before + "; only " + who + " or an operator may change it");
        }
    }

    private KnownDefinition merged(@Nullable KnownDefinition before) {
        KnownDefinition.Defaults known = before == null ? null : before.defaults();
        Duration timeout = known == null ? JobSpec.DEFAULT_TIMEOUT : known.timeout();
        int attempts = known == null ? JobSpec.DEFAULT_MAX_ATTEMPTS : known.maxAttempts();
        int limit = known == null ? 0 : known.concurrencyLimit();
        var defaults = new KnownDefinition.Defaults(
                orElse(given.getQueue(), known == null ? JobSpec.DEFAULT_QUEUE : known.queue()),
                given.getMaxAttempts() == 0 ? attempts : given.getMaxAttempts(),
                given.hasTimeout() ? WireTime.duration("timeout", given.getTimeout()) : timeout,
                given.hasConcurrencyLimit() ? given.getConcurrencyLimit() : limit);
        return new KnownDefinition(
                ref,
                orElse(given.getParamsSchema(), before == null ? BuiltIn.ANYTHING : before.paramsSchema()),
                orElse(given.getResultSchema(), before == null ? BuiltIn.ANYTHING : before.resultSchema()),
                defaults,
                null,
                Instant.EPOCH,
                owner());
    }

    /** Rejects the change if the key is restricted to queues and the definition is, or would be, in another queue. */
    private void requireQueues(KnownDefinition after, List<Present> versions) {
        requireQueue(after.defaults().queue());
        for (Present one : versions) {
            String queue = one.effective().defaults().queue();
            if (!caller.rights().reaches(queue)) {
                throw denied(
                        "definition",
                        ref.toString(),
                        "a definition of " + queues() + "; " + one.effective().ref() + " belongs to the queue "
                                + queue);
            }
        }
    }

    private void requireQueue(String queue) {
        if (!caller.rights().reaches(queue)) {
            throw denied("queue", Problem.brief(queue), "one of this key's queues: " + queues());
        }
    }

    private String queues() {
        return String.join(", ", caller.rights().queues());
    }

    /** Rejects changes of a built-in definition. A worker with an unrestricted key may register it first. */
    private void requireBuiltInUnchanged(List<Present> versions) {
        if (JobSecrets.always(ref.key()).any() && (caller.rights().bound() || !versions.isEmpty())) {
            throw denied("definition", ref.toString(), "a definition that is not built in");
        }
    }

    private void requireNotWeaker(String field, String before, String after) {
        if (!before.equals(after) && JsonSchema.parse(after).weakerThan(JsonSchema.parse(before))) {
            throw denied(
                    field,
                    Problem.brief(after),
                    "a schema that checks and hides at least what the registered one does");
        }
    }

    private static LonghaulException denied(String field, String value, String expected) {
        return new LonghaulException(ErrorCode.PERMISSION_DENIED, List.of(new FieldError(field, value, expected)));
    }

    private static String orElse(String given, String other) {
        return given.isEmpty() ? other : given;
    }
}
