package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.usecase.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Routes that change single jobs. */
public final class JobRoutes {
    private final Jobs jobs;
    private final JobJson json;

    public JobRoutes(Jobs jobs, JobJson json) {
        this.jobs = jobs;
        this.json = json;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/jobs/{id}/cancel", Role.SUBMITTER, call -> cancel(call, Status.ACCEPTED)),
                Route.delete("/v1/jobs/{id}", Role.SUBMITTER, call -> cancel(call, Status.OK)),
                Route.post("/v1/jobs/{id}/retry", Role.OPERATOR, this::retry),
                Route.post("/v1/jobs/{id}/runNow", Role.SUBMITTER, this::runNow),
                Route.post("/v1/jobs/{id}/hold", Role.SUBMITTER, this::hold),
                Route.post("/v1/jobs/{id}/release", Role.SUBMITTER, this::release),
                Route.patch("/v1/jobs/{id}", Role.SUBMITTER, this::edit),
                Route.put("/v1/jobs/{id}", Role.SUBMITTER, this::edit));
    }

    private Response cancel(Call call, int status) {
        Fields body = call.optionalBody();
        Duration grace = body.seconds("graceSeconds");
        String reason = body.text("reason");
        String by = call.caller().name();
        JobId id = call.jobId();
        return execute(call, status, body.done(() -> JobCommand.cancel(id, by, reason, grace)));
    }

    private Response retry(Call call) {
        call.optionalBody().done();
        return execute(
                call, Status.OK, JobCommand.retry(call.jobId(), call.caller().name()));
    }

    private Response runNow(Call call) {
        call.optionalBody().done();
        return execute(
                call,
                Status.ACCEPTED,
                JobCommand.runNow(call.jobId(), call.caller().name()));
    }

    private Response hold(Call call) {
        call.optionalBody().done();
        return execute(
                call, Status.OK, JobCommand.hold(call.jobId(), call.caller().name()));
    }

    private Response release(Call call) {
        call.optionalBody().done();
        return execute(
                call, Status.OK, JobCommand.release(call.jobId(), call.caller().name()));
    }

    private Response edit(Call call) {
        JobId id = call.jobId();
        Fields body = call.body();
        var edit = new JobEdit(
                body.text("name"),
                runTime(body),
                body.integer("priority"),
                body.json("params"),
                body.texts("labels"),
                body.integer("maxAttempts"));
        var command = new JobCommand.Edit(id, call.caller().name(), edit);
        return execute(call, Status.OK, body.done(() -> jobs.check(command)));
    }

    private static @Nullable RunAt runTime(Fields body) {
        Instant at = body.time("runAt");
        Duration delay = body.seconds("delaySeconds");
        return at == null && delay == null ? null : body.made(() -> new RunAt(at, delay));
    }

    private Response execute(Call call, int status, JobCommand command) {
        CommandResult result = jobs.change(command);
        return result.deferred()
                ? Deferred.response(command.id())
                : Answer.of(status, out -> json.write(out, result.job(), JobJson.View.of(call.caller())));
    }
}
