package dev.longhaul.event;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event that a run reports.
 *
 * @param sequence strictly rising within a report, from 1. A sequence that the run has stored already is a repeat and
 * skipped
 * @param at when it happened, by the reporter's clock; null means the store's current time
 */
public record NewEvent(
        int sequence,
        EventType type,
        @Nullable Instant at,
        @Nullable String payload) {
    public NewEvent {
        int bytes = payload == null ? 0 : Text.utf8Length(payload);
        new Problems()
                .require(sequence >= 1, "sequence", sequence, ">= 1")
                .require(type.reportable(), "type", type.wireName(), "a type that a run may report")
                .require(payload == null || Text.storable(payload), "payload", "text with a NUL", "storable text")
                .require(bytes <= Limits.JSON_BYTES, "payload", bytes + " bytes", "<= " + Limits.JSON_BYTES + " bytes")
                .throwIfAny();
    }
}
