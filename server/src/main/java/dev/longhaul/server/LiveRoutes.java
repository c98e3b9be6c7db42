package dev.longhaul.server;

import com.linecorp.armeria.common.HttpResponse;
import dev.longhaul.access.Role;
import dev.longhaul.job.Job;
import java.util.List;

/** A job as it is now or when it has ended, and events as they happen. */
final class LiveRoutes {
    private final ReadRoutes reads;
    private final JobJson json;

    LiveRoutes(Live live, ReadRoutes reads, JobJson json) {
        this.reads = reads;
        this.json = json;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs/{id}", Role.VIEWER, this::job),
                Route.get("/v1/jobs/{id}/events", Role.VIEWER, reads::events));
    }

    private HttpResponse job(Call call) {
        Query query = call.query();
        JobJson.View view = ReadRoutes.view(call, query);
        query.done();
        Job job = reads.existing(call.jobId());
        return Answer.ok(out -> json.write(out, job, view));
    }
}
