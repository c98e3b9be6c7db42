package dev.longhaul.process.command;

/** The result of a successful command. */
public record CommandResult(int exitCode) {}
