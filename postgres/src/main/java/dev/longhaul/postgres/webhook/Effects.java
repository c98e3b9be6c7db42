package dev.longhaul.postgres.webhook;

import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;

/**
 * The effects outbox: transitions of jobs that webhooks or hooks subscribe to. The statements that change jobs insert
 * the effects ({@code note_effects.sql}), so that a transition and its effects are committed together. Workers take
 * hooks from the outbox ({@code take_hooks.sql}); effects for webhooks become deliveries here.
 */
public final class Effects {
    private static final int BATCH = 1000;
    /**
     * The most batches of a call whose caller cannot wait: other sessions add effects concurrently, so without a limit
     * the call might never end.
     */
    private static final int MOST_BATCHES = 20;

    private final NamedSql dispatch = NamedSql.load("webhook/dispatch_effects");
    private final Database database;

    public Effects(Database database) {
        this.database = database;
    }

    /** Dispatches the effects committed so far, unless another session is dispatching. */
    public void dispatch() {
        for (int i = 0; i < MOST_BATCHES && dispatchSome(false); i++) {}
    }

    /**
     * Dispatches all effects committed so far. Call before subscriptions change: an effect goes to the webhooks that
     * subscribe when it is dispatched.
     */
    public void dispatchAll() {
        while (dispatchSome(true)) {}
    }

    /** Returns whether more effects may be pending. */
    private boolean dispatchSome(boolean wait) {
        return database.single((connection, again) -> {
            try (Call call = dispatch.on(connection)) {
                return call.set("wait", wait)
                        .set("max", (Integer) BATCH)
                        .list(row -> row.integer("effects") == BATCH)
                        .get(0);
            }
        });
    }
}
