package dev.longhaul.cli.launch;

/** Where metrics are served without a key. */
record MetricsConfig(String host, int port) {}
