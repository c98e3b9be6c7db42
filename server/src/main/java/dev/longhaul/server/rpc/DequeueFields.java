package dev.longhaul.server.rpc;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.client.WireTime;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.work.ClaimRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Decodes fields of a dequeue request. */
final class DequeueFields {
    /** How long the server waits for an end that the worker reported just before the lease expired. */
    static final Duration USUAL_END_MARGIN = Duration.ofSeconds(2);

    private DequeueFields() {}

    static Duration endMargin(DequeueJobRequest request) {
        return request.hasEndMargin()
                ? JobRpc.within(
                        "endMargin",
                        WireTime.duration("endMargin", request.getEndMargin()),
                        Duration.ZERO,
                        ClaimRequest.LARGEST_END_MARGIN)
                : USUAL_END_MARGIN;
    }

    static ClaimRequest.Begin begin(DequeueJobRequest request) {
        return request.getExplicitBegin() ? ClaimRequest.Begin.NONE : ClaimRequest.Begin.ALL;
    }

    /** Returns the requested definitions. A name without a version means all known versions. */
    static Set<DefinitionRef> definitions(DequeueJobRequest request, Catalog catalog) {
        var refs = new HashSet<DefinitionRef>();
        List<KnownDefinition> known = List.of();
        for (String name : request.getDefinitionsList()) {
            DefinitionRef ref = DefinitionRef.parse(name);
            refs.add(ref);
            if (name.indexOf('@') < 0) {
                known = known.isEmpty() ? catalog.definitions() : known;
                known.stream()
                        .map(KnownDefinition::ref)
                        .filter(one -> one.key().equals(ref.key()))
                        .forEach(refs::add);
            }
        }
        return refs;
    }
}
