package dev.longhaul.job;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;

/** A finished step of a job: its result is stored and reused by later runs instead of being computed again. */
public record Step(String name, String result) {
    public Step {
        new Problems()
                .require(Names.valid(name), "step", name, Names.RULE)
                .require(Text.storable(result), "result", "text with a NUL or half a surrogate pair", "storable text")
                .require(
                        Text.utf8Length(result) <= Limits.JSON_BYTES,
                        "result",
                        Text.utf8Length(result) + " bytes",
                        "<= " + Limits.JSON_BYTES + " bytes")
                .throwIfAny();
    }
}
