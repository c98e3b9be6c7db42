package dev.longhaul.postgres.database;

import dev.longhaul.internal.store.StoreListeners;

/** What the parts of one open store share: its database, and the channels that announce committed changes. */
public record StoreBase(Database database, Signals signals, StoreListeners listeners) {}
