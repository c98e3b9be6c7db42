package dev.longhaul.process.command;

/** What a command that succeeded leaves. */
public record CommandResult(int exitCode) {}
