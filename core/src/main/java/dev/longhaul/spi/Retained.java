package dev.longhaul.spi;

/** What a pass of retention removed. */
public record Retained(long jobs, int partitionsDropped) {}
