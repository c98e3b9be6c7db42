package dev.longhaul.process;

/** What a command that succeeded leaves. */
public record CommandResult(int exitCode) {}
