package dev.longhaul.server.rest;

import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.spi.Store;
import java.util.List;

/** Serves health checks: whether the process is alive, and whether it can serve requests and run jobs. */
public final class Readiness {
    private final Store store;
    private volatile boolean draining;

    public Readiness(Store store) {
        this.store = store;
    }

    public List<Route> routes() {
        return List.of(Route.get("/healthz", null, call -> status("ok")), Route.get("/readyz", null, call -> ready()));
    }

    public void drain() {
        draining = true;
    }

    private Response ready() {
        check();
        return status("ready");
    }

    /** Throws if the process is not ready. */
    public void check() {
        if (draining) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "draining");
        }
        List<String> down = Loops.down();
        if (!down.isEmpty()) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "background loops are not running: " + String.join("; ", down));
        }
        store.checkWritable();
    }

    private static Response status(String status) {
        return Answer.ok(out -> out.object(() -> out.text("status", status)));
    }
}
