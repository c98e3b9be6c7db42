package dev.longhaul.server;

import com.linecorp.armeria.common.HttpResponse;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.store.JobStore;
import java.util.List;

/** Tells whoever balances the load whether this process lives, and whether it can serve. */
final class Readiness {
    private final JobStore store;
    private volatile boolean draining;

    Readiness(JobStore store) {
        this.store = store;
    }

    List<Route> routes() {
        return List.of(Route.get("/healthz", null, call -> says("ok")), Route.get("/readyz", null, call -> ready()));
    }

    void drain() {
        draining = true;
    }

    private HttpResponse ready() {
        if (draining) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "draining");
        }
        store.now();
        return says("ready");
    }

    private static HttpResponse says(String status) {
        return Answer.ok(out -> out.object(() -> out.text("status", status)));
    }
}
