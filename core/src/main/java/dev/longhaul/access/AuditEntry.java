package dev.longhaul.access;

import dev.longhaul.job.Limits;
import dev.longhaul.job.Text;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that somebody did.
 *
 * @param action {@code job.cancel}, {@code queue.pause}, {@code key.create} and the like
 * @param subject the id or name of what it was done to
 * @param detail more about it as JSON text
 */
public record AuditEntry(
        UUID id,
        Instant at,
        String actor,
        String action,
        String subject,
        @Nullable String detail) {
    private static final int LONGEST_DETAIL = 16_000;

    /** Always storable, so that the record of a deed cannot keep it from being done. */
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
