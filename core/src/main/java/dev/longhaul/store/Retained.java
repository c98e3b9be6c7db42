package dev.longhaul.store;

/** What a pass of retention removed. */
public record Retained(long jobs, int partitionsDropped) {}
