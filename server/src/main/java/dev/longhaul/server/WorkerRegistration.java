package dev.longhaul.server;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.client.WireTime;
import dev.longhaul.definition.JobSecrets;
import dev.longhaul.definition.JsonSchema;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A definition that a worker registers over RPC. What the request leaves empty keeps its registered value. A key that is bound to queues
 * registers definitions of these queues only, and no key weakens a schema that belongs to code loaded in a server or worker.
 */
final class WorkerRegistration implements Registration {
    private final RegisterDefinitionsRequest.Definition wanted;
    private final DefinitionRef ref;
    private final Caller caller;

    private WorkerRegistration(RegisterDefinitionsRequest.Definition wanted, Caller caller) {
        this.wanted = wanted;
        this.ref = DefinitionRef.parse(wanted.getDefinition());
        this.caller = caller;
    }

    /** Fails when the request alone tells that something is wrong with it. */
    static WorkerRegistration of(RegisterDefinitionsRequest.Definition wanted, Caller caller) {
        var registration = new WorkerRegistration(wanted, caller);
        registration.merged(null);
        KnownDefinition.checkSchemas(
                orElse(wanted.getParamsSchema(), BuiltIn.ANYTHING), orElse(wanted.getResultSchema(), BuiltIn.ANYTHING));
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
                .findFirst()
                .orElse(null);
        KnownDefinition after = merged(before);
        if (before != null && before.sameAs(after)) {
            requireQueue(after.defaults().queue());
            return after;
        }
        requireBuiltInUnchanged(versions);
        requireQueues(after, versions);
        if (before != null && before.registeredBy() == null) {
            requireNotWeaker("paramsSchema", before.paramsSchema(), after.paramsSchema());
            requireNotWeaker("resultSchema", before.resultSchema(), after.resultSchema());
        }
        return after;
    }

    private KnownDefinition merged(@Nullable KnownDefinition before) {
        KnownDefinition.Defaults known = before == null ? null : before.defaults();
        Duration timeout = known == null ? JobSpec.DEFAULT_TIMEOUT : known.timeout();
        int attempts = known == null ? JobSpec.DEFAULT_MAX_ATTEMPTS : known.maxAttempts();
        var defaults = new KnownDefinition.Defaults(
                orElse(wanted.getQueue(), known == null ? JobSpec.DEFAULT_QUEUE : known.queue()),
                wanted.getMaxAttempts() == 0 ? attempts : wanted.getMaxAttempts(),
                wanted.hasTimeout() ? WireTime.duration("timeout", wanted.getTimeout()) : timeout,
                wanted.getConcurrencyLimit());
        UUID key = caller.keyId();
        return new KnownDefinition(
                ref,
                orElse(wanted.getParamsSchema(), before == null ? BuiltIn.ANYTHING : before.paramsSchema()),
                orElse(wanted.getResultSchema(), before == null ? BuiltIn.ANYTHING : before.resultSchema()),
                defaults,
                null,
                Instant.EPOCH,
                key == null ? caller.name() : key.toString());
    }

    /** A key that is bound to queues neither takes a definition of another queue nor moves one there. */
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

    /** What belongs to Longhaul itself is changed by nobody; a worker without bounds may be the first that brings it along. */
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
                    "a schema that checks and hides at least what the one of the loaded code does");
        }
    }

    private static LonghaulException denied(String field, String value, String expected) {
        return new LonghaulException(ErrorCode.PERMISSION_DENIED, List.of(new FieldError(field, value, expected)));
    }

    private static String orElse(String given, String other) {
        return given.isEmpty() ? other : given;
    }
}
