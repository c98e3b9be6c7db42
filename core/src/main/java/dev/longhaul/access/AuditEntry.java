package dev.longhaul.access;

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
public record AuditEntry(UUID id, Instant at, String actor, String action, String subject, @Nullable String detail) {}
