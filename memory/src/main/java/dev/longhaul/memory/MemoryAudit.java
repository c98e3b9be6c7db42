package dev.longhaul.memory;

import dev.longhaul.access.Actor;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.internal.text.Uuid7;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The audit trail of this process. Callers hold the lock of the {@link StoreLock}. */
final class MemoryAudit {
    private final Uuid7 ids = new Uuid7(System::currentTimeMillis);
    private final List<AuditEntry> entries = new ArrayList<>();

    /** Records a command, if it runs on behalf of an {@link Actor}. */
    void add(Instant now, String action, Object subject, Supplier<AuditDetail> detail) {
        Actor actor = Actor.current();
        if (actor != null) {
            add(now, actor, action, subject.toString(), detail.get().json());
        }
    }

    /** Records a command that needs no detail. */
    void add(Instant now, String action, Object subject) {
        add(now, action, subject, AuditDetail::new);
    }

    void add(Instant now, Actor actor, String action, String subject, @Nullable String detail) {
        entries.add(new AuditEntry(ids.next(), now, actor.name(), actor.keyId(), action, subject, detail));
    }

    List<AuditEntry> page(@Nullable UUID before, int limit) {
        var newestFirst = new ArrayList<>(entries);
        Collections.reverse(newestFirst);
        return newestFirst.stream()
                .filter(entry -> before == null || entry.id().compareTo(before) < 0)
                .limit(limit)
                .toList();
    }
}
