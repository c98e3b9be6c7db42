package dev.longhaul.intake;

/** The place of a record in the log: its partition, and its offset in the partition. */
public record IntakePosition(int partition, long offset) {}
