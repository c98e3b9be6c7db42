package dev.longhaul.memory;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.text.Names;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueRules;
import dev.longhaul.spi.Signal;
import org.jspecify.annotations.Nullable;

/** Commands about queues and limits of definitions. */
final class SettingCommands {
    private final Settings settings;
    private final JobIndex jobs;
    private final Gate gate;

    SettingCommands(Settings settings, JobIndex jobs, Gate gate) {
        this.settings = settings;
        this.jobs = jobs;
        this.gate = gate;
    }

    void pause(String queue, @Nullable String by, @Nullable String note) {
        QueueRules.require(queue, null);
        gate.update(now -> {
            var pause = new Pause(now, by, note);
            settings.pause(queue, pause);
            gate.audit().add(now, "queue.pause", queue, () -> AuditDetails.of(pause));
        });
    }

    void resume(String queue) {
        gate.update(now -> {
            settings.resume(queue);
            gate.audit().add(now, "queue.resume", queue);
            boolean due =
                    jobs.waiting().stream().anyMatch(job -> job.spec().queue().equals(queue) && job.due(now));
            if (due) {
                gate.tellLater(new Signal(Signal.Kind.WORK, queue));
            }
        });
    }

    void maxDepth(String queue, @Nullable Integer maxDepth) {
        QueueRules.require(queue, maxDepth);
        gate.update(now -> {
            Integer before = settings.maxDepthOf(queue);
            settings.maxDepth(queue, maxDepth);
            gate.audit()
                    .add(now, "queue.maxDepth", queue, () -> new AuditDetail().change("maxDepth", before, maxDepth));
        });
    }

    void concurrencyLimit(String definitionKey, int limit) {
        new Problems()
                .require(Names.valid(definitionKey), "definitionKey", definitionKey, Names.RULE)
                .require(limit >= 0, "concurrencyLimit", limit, ">= 0")
                .throwIfAny();
        gate.update(now -> {
            int before = settings.concurrencyLimitOf(definitionKey);
            settings.concurrencyLimit(definitionKey, limit);
            if (before != limit) {
                gate.audit()
                        .add(
                                now,
                                "definition.limit",
                                definitionKey,
                                () -> new AuditDetail().change("concurrencyLimit", before, limit));
            }
        });
    }
}
