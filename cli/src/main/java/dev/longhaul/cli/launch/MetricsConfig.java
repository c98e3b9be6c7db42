package dev.longhaul.cli.launch;

/** The address that serves metrics without a key. */
record MetricsConfig(String host, int port) {}
