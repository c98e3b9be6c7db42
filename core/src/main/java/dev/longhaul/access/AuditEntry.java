package dev.longhaul.access;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One recorded action of a caller.
 *
 * @param actor the name of the caller's key; names are not unique
 * @param actorKeyId the id of that key; null for callers without a key
 * @param action such as {@code job.cancel}, {@code queue.pause} or {@code key.create}
 * @param subject the id or name of its target
 * @param detail facts and changed fields as JSON text; see {@link AuditDetail}
 */
public record AuditEntry(
        UUID id,
        Instant at,
        String actor,
        @Nullable UUID actorKeyId,
        String action,
        String subject,
        @Nullable String detail) {
    private static final int LONGEST_DETAIL = 16_000;

    /** Shortens text that is too long to store: a long name must not make the action fail. */
    public AuditEntry {
        actor = Text.storableOf(actor, Limits.KEY);
        action = Text.storableOf(action, Limits.KEY);
        subject = Text.storableOf(subject, Limits.NOTE);
        if (detail != null) {
            boolean fits = detail.length() <= LONGEST_DETAIL;
            detail = fits ? Text.storableOf(detail, LONGEST_DETAIL) : "\"too long to keep\"";
        }
    }
}
