package dev.longhaul.api.rest;

import dev.longhaul.JobOptions;
import dev.longhaul.NewJob;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.spi.Inserted;
import dev.longhaul.usecase.CheckedJob;
import dev.longhaul.usecase.Jobs;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes that submit jobs. */
public final class SubmitRoutes {
    private static final int LARGEST_BATCH = 1000;
    private static final String IDEMPOTENCY_KEY = "idempotency-key";
    private static final String TRACEPARENT = "traceparent";

    private final Jobs jobs;
    private final JobJson json;
    private final RequestTracing tracing;

    public SubmitRoutes(Jobs jobs, JobJson json, RequestTracing tracing) {
        this.jobs = jobs;
        this.json = json;
        this.tracing = tracing;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/jobs", Role.SUBMITTER, this::submit),
                Route.post("/v1/jobs/batch", Role.SUBMITTER, this::submitAll).withLargestBody(Route.BATCH_BODY));
    }

    private Response submit(Call call) {
        return tracing.request("POST /v1/jobs", call.header(TRACEPARENT), trace -> submit(call, trace));
    }

    private Response submit(Call call, @Nullable String trace) {
        Fields body = call.body();
        NewJob requested = newJob(call, body, call.header(IDEMPOTENCY_KEY), trace);
        CheckedJob checked = body.done(() -> jobs.check(requested));
        Inserted inserted = jobs.submit(checked);
        return Answer.of(Status.ACCEPTED, out -> json.write(out, inserted, JobJson.View.of(call.caller())))
                .with("location", call.url("/v1/jobs/" + inserted.job().id()));
    }

    private Response submitAll(Call call) {
        return tracing.request("POST /v1/jobs/batch", call.header(TRACEPARENT), trace -> submitAll(call, trace));
    }

    private Response submitAll(Call call, @Nullable String trace) {
        Fields body = call.body();
        List<NewJob> requested = body.objects("jobs", LARGEST_BATCH).stream()
                .map(item -> newJob(call, item, null, trace))
                .toList();
        List<CheckedJob> checked = body.done(() -> jobs.check(requested));
        List<Inserted> inserted = jobs.enqueueChecked(checked);
        JobJson.View view = JobJson.View.of(call.caller());
        return Answer.of(
                Status.ACCEPTED,
                out -> out.object(() -> out.list("jobs", inserted, one -> json.write(out, one, view))));
    }

    private static NewJob newJob(Call call, Fields body, @Nullable String keyHeader, @Nullable String trace) {
        String key = body.requiredText("definitionKey");
        Integer version = body.integer("definitionVersion");
        String params = body.json("params");
        Map<String, String> labels = body.texts("labels");
        JobOptions options = JobOptions.options()
                .name(body.text("name"))
                .queue(body.text("queue"))
                .priority(body.integer("priority"))
                .runAt(body.time("runAt"))
                .delay(body.seconds("delaySeconds"))
                .maxAttempts(body.integer("maxAttempts"))
                .timeout(body.seconds("timeoutSeconds"))
                .idempotencyKey(idempotencyKey(body, keyHeader))
                .correlationId(body.text("correlationId"))
                .labels(labels == null ? Map.of() : labels)
                .hold(body.flag("hold"))
                .createdBy(call.caller().name())
                .traceparent(trace)
                .webhook(WebhookRequest.ofJob(body.object("webhook")));
        return new NewJob(key, version, params == null ? "{}" : params, options);
    }

    private static @Nullable String idempotencyKey(Fields body, @Nullable String header) {
        String own = body.text("idempotencyKey");
        if (own != null && header != null && !own.equals(header)) {
            body.problem("idempotencyKey", own, "the same as the Idempotency-Key header, " + Problem.brief(header));
        }
        return own == null ? header : own;
    }
}
