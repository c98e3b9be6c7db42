package dev.longhaul.postgres.database;

import dev.longhaul.internal.store.StoreListeners;

/** Shared by all parts of an open store: its database, and the channels that announce committed changes. */
public record StoreBase(Database database, Signals signals, StoreListeners listeners) {}
