package dev.longhaul.intake;

/** When an {@link IntakeStore} appends a write to the log instead of storing it directly. */
public enum IntakeMode {
    /** When the store is unavailable. */
    UNAVAILABLE,
    /**
     * Also when the store has not responded to an insert within 500 ms. The direct insert continues: both may happen,
     * with the effect of one.
     */
    SLOW,
    /** Always. */
    ALWAYS
}
