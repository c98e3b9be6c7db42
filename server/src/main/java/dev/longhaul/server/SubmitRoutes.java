package dev.longhaul.server;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.longhaul.access.Role;
import dev.longhaul.enqueue.JobOptions;
import dev.longhaul.enqueue.Jobs;
import dev.longhaul.enqueue.NewJob;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.store.Inserted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asking for jobs. */
final class SubmitRoutes {
    private static final int LARGEST_BATCH = 1000;
    private static final String IDEMPOTENCY_KEY = "idempotency-key";

    private final Jobs jobs;
    private final JobJson json;

    SubmitRoutes(Jobs jobs, JobJson json) {
        this.jobs = jobs;
        this.json = json;
    }

    List<Route> routes() {
        return List.of(
                Route.post("/v1/jobs", Role.SUBMITTER, this::submit),
                Route.post("/v1/jobs/batch", Role.SUBMITTER, this::submitAll).withLargestBody(Route.BATCH_BODY));
    }

    private HttpResponse submit(Call call) {
        Fields body = call.body();
        NewJob wanted = wanted(call, body, call.headers().get(IDEMPOTENCY_KEY));
        if (!body.problems().isEmpty()) {
            check(body, wanted);
            body.done();
        }
        Job job = jobs.enqueue(wanted.key(), wanted.version(), wanted.params(), wanted.options());
        String text = Answer.json(out -> json.write(out, job, JobJson.View.of(call.caller())));
        var headers = ResponseHeaders.builder(HttpStatus.ACCEPTED)
                .contentType(MediaType.JSON_UTF_8)
                .set(HttpHeaderNames.LOCATION, "/v1/jobs/" + job.id());
        return HttpResponse.of(headers.build(), HttpData.ofUtf8(text));
    }

    private HttpResponse submitAll(Call call) {
        Fields body = call.body();
        List<Fields> items = body.objects("jobs", LARGEST_BATCH);
        List<NewJob> wanted =
                items.stream().map(item -> wanted(call, item, null)).toList();
        if (!body.problems().isEmpty()
                || items.stream().anyMatch(item -> !item.problems().isEmpty())) {
            throw problems(body, items, wanted);
        }
        List<Inserted> inserted = jobs.enqueueBatch(wanted);
        JobJson.View view = JobJson.View.of(call.caller());
        return Answer.of(
                HttpStatus.ACCEPTED,
                out -> out.object(() -> out.list("jobs", inserted, one -> json.write(out, one.job(), view))));
    }

    private LonghaulException problems(Fields body, List<Fields> items, List<NewJob> wanted) {
        var problems = new ArrayList<>(body.problems());
        for (int i = 0; i < items.size(); i++) {
            check(items.get(i), wanted.get(i));
            problems.addAll(items.get(i).problems());
        }
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
    }

    /** A request that is refused anyway is told all that is wrong with it. */
    private void check(Fields body, NewJob wanted) {
        try {
            jobs.spec(wanted.key(), wanted.version(), wanted.params(), wanted.options());
        } catch (LonghaulException e) {
            body.add(e);
        }
    }

    private static NewJob wanted(Call call, Fields body, @Nullable String keyHeader) {
        String key = body.requiredText("definitionKey");
        Integer version = body.integer("definitionVersion");
        String params = body.json("params");
        Map<String, String> labels = body.texts("labels");
        JobOptions options = JobOptions.options()
                .name(body.text("name"))
                .queue(body.text("queue"))
                .priority(body.integer("priority"))
                .runAt(body.time("runAt"))
                .delay(seconds(body, "delaySeconds"))
                .maxAttempts(body.integer("maxAttempts"))
                .timeout(seconds(body, "timeoutSeconds"))
                .idempotencyKey(idempotencyKey(body, keyHeader))
                .correlationId(body.text("correlationId"))
                .labels(labels == null ? Map.of() : labels)
                .hold(body.flag("hold"))
                .createdBy(call.caller().name());
        return new NewJob(key, version, params == null ? "{}" : params, options);
    }

    private static @Nullable Duration seconds(Fields body, String name) {
        Integer seconds = body.integer(name);
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    private static @Nullable String idempotencyKey(Fields body, @Nullable String header) {
        String own = body.text("idempotencyKey");
        if (own != null && header != null && !own.equals(header)) {
            body.problem("idempotencyKey", own, "the same as the Idempotency-Key header, " + Problem.brief(header));
        }
        return own == null ? header : own;
    }
}
