package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Limits;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.spi.Store;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Routes that change and read webhooks and their deliveries. */
public final class WebhookRoutes {
    private static final int USUAL_PAGE = 50;
    /** Maximum deliveries per statement. A request executes at most {@link #MOST_BATCHES} statements. */
    private static final int BATCH = 500;

    private static final int MOST_BATCHES = 20;

    private final WebhookStore store;

    public WebhookRoutes(Store jobs) {
        this.store = jobs.webhooks();
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/webhooks", Role.OPERATOR, this::list),
                Route.post("/v1/webhooks", Role.OPERATOR, this::create),
                Route.get("/v1/webhooks/{id}", Role.OPERATOR, this::get),
                Route.put("/v1/webhooks/{id}", Role.OPERATOR, this::edit),
                Route.patch("/v1/webhooks/{id}", Role.OPERATOR, this::edit),
                Route.delete("/v1/webhooks/{id}", Role.OPERATOR, this::delete).longRunning(),
                Route.post("/v1/webhooks/{id}/test", Role.OPERATOR, this::test),
                Route.post("/v1/webhooks/{id}/redeliver", Role.OPERATOR, this::redeliverAll)
                        .longRunning(),
                Route.get("/v1/webhooks/{id}/deliveries", Role.OPERATOR, this::deliveries),
                Route.get("/v1/webhooks/{id}/deliveries/{delivery}", Role.OPERATOR, this::delivery),
                Route.post("/v1/webhooks/{id}/deliveries/{delivery}/redeliver", Role.OPERATOR, this::redeliver));
    }

    // Webhooks

    private Response list(Call call) {
        call.query().done();
        List<Webhook> all = store.list();
        return Answer.ok(out ->
                out.object(() -> out.list("webhooks", all, one -> out.object(() -> WebhookJson.write(out, one)))));
    }

    private Response get(Call call) {
        call.query().done();
        Webhook webhook = existing(call);
        return Answer.ok(out -> out.object(() -> WebhookJson.write(out, webhook)));
    }

    /** Creates a webhook. This is the only response that contains a secret, if the server generated it. */
    private Response create(Call call) {
        Fields body = call.body();
        WebhookRequest changes = WebhookRequest.of(body);
        List<String> given = changes.secrets();
        List<String> secrets = given == null ? List.of(WebhookSecret.random()) : given;
        WebhookSpec spec = body.made(() -> changes.over(null, secrets));
        body.done();
        Webhook created = store.create(
                UUID.randomUUID(), Objects.requireNonNull(spec), call.caller().name());
        return Answer.of(
                        Status.CREATED,
                        out -> out.object(() -> {
                            WebhookJson.write(out, created);
                            if (given == null) {
                                out.text("secret", secrets.get(0));
                            }
                        }))
                .with("location", call.url("/v1/webhooks/" + created.id()));
    }

    private Response edit(Call call) {
        UUID id = existing(call).id();
        Fields body = call.body();
        WebhookRequest changes = WebhookRequest.of(body);
        Boolean enabled = body.choice("enabled");
        Webhook edited = store.edit(id, before -> edited(before, changes, enabled, body));
        return Answer.ok(out -> out.object(() -> WebhookJson.write(out, edited)));
    }

    /** Applies changes to the webhook's settings. The caller holds its lock. */
    private static WebhookStore.Settings edited(
            Webhook before, WebhookRequest changes, @Nullable Boolean enabled, Fields body) {
        List<String> given = changes.secrets();
        List<String> secrets = given == null ? before.spec().secrets() : given;
        WebhookSpec spec = body.made(() -> changes.over(before.spec(), secrets));
        if (before.ofJobs() && changes.more()) {
            body.problem("webhook", "of jobs", "changes of secrets and enabled only; each job sets the other fields");
        }
        body.done();
        return new WebhookStore.Settings(Objects.requireNonNull(spec), enabled == null ? before.enabled() : enabled);
    }

    private Response delete(Call call) {
        call.optionalBody().done();
        UUID id = existing(call).id();
        store.delete(id);
        return Response.of(Status.NO_CONTENT);
    }

    private Response test(Call call) {
        call.optionalBody().done();
        Delivery sent = store.test(existing(call).id());
        return accepted(call, sent);
    }

    // Deliveries

    private Response deliveries(Call call) {
        Query query = call.query();
        int limit = query.number("limit", USUAL_PAGE, 1, Limits.PAGE);
        Delivery.State state = state(query, query.text("state"));
        WebhookStore.Cursor before = cursor(query, query.text("cursor"));
        query.done();
        List<Delivery> page = store.deliveries(existing(call).id(), state, before, limit);
        Delivery last = page.size() < limit ? null : page.get(limit - 1);
        return Answer.ok(out -> out.object(() -> {
            out.list("deliveries", page, one -> out.object(() -> WebhookJson.write(out, one)));
            out.nextCursor(last == null ? null : last.at() + "_" + last.id());
        }));
    }

    private static Delivery.@Nullable State state(Query query, @Nullable String text) {
        if (text == null) {
            return null;
        }
        return Delivery.State.of(text).orElseGet(() -> {
            query.problem("state", text, "pending, delivered or parked");
            return Delivery.State.PENDING;
        });
    }

    private static WebhookStore.@Nullable Cursor cursor(Query query, @Nullable String text) {
        if (text == null) {
            return null;
        }
        String[] parts = text.split("_", 2);
        UUID id = parts.length == 2 ? uuid(parts[1]) : null;
        try {
            if (id != null) {
                return new WebhookStore.Cursor(Instant.parse(parts[0]), id);
            }
        } catch (DateTimeException e) {
            // The value is reported as invalid below.
        }
        query.problem("cursor", text, "the nextCursor of an earlier page");
        return null;
    }

    private Response delivery(Call call) {
        call.query().done();
        Delivery delivery = existingDelivery(call);
        List<DeliveryTry> tries = store.tries(delivery.id());
        return Answer.ok(out -> out.object(() -> {
            WebhookJson.write(out, delivery);
            out.list("attempts", tries, one -> out.object(() -> WebhookJson.write(out, one)));
        }));
    }

    private Response redeliver(Call call) {
        call.optionalBody().done();
        Delivery again = store.redeliver(existingDelivery(call).id());
        return accepted(call, again);
    }

    private Response redeliverAll(Call call) {
        Fields body = call.optionalBody();
        Delivery.State state = redeliverable(body, body.text("state"));
        Instant after = body.time("after");
        Instant before = body.time("before");
        if (state == Delivery.State.DELIVERED && after == null) {
            body.problem("after", "none", "a time, so that not all delivered events are sent again");
        }
        body.done();
        UUID id = existing(call).id();
        var count = new AtomicInteger();
        Instant next = redeliver(id, state, after, before, count);
        return Answer.ok(out -> out.object(() -> {
            out.number("redelivered", count.get());
            if (next == null) {
                out.nothing("nextAfter");
            } else {
                out.time("nextAfter", next);
            }
        }));
    }

    /**
     * Redelivers in batches and counts the deliveries. Returns the time from which to continue; null when all are done.
     */
    private @Nullable Instant redeliver(
            UUID id, Delivery.State state, @Nullable Instant after, @Nullable Instant before, AtomicInteger count) {
        Instant next = after;
        for (int i = 0; i < MOST_BATCHES; i++) {
            WebhookStore.Redelivered some = store.redeliver(id, state, next, before, BATCH);
            count.addAndGet(some.count());
            next = some.next();
            if (next == null) {
                break;
            }
        }
        return next;
    }

    private static Delivery.State redeliverable(Fields body, @Nullable String text) {
        return text == null
                ? Delivery.State.PARKED
                : Delivery.State.of(text).orElseGet(() -> {
                    body.problem("state", Problem.brief(text), "parked, pending or delivered");
                    return Delivery.State.PARKED;
                });
    }

    private static Response accepted(Call call, Delivery delivery) {
        return Answer.of(Status.ACCEPTED, out -> out.object(() -> WebhookJson.write(out, delivery)))
                .with("location", call.url("/v1/webhooks/" + delivery.webhookId() + "/deliveries/" + delivery.id()));
    }

    private Webhook existing(Call call) {
        UUID id = uuid(call.path("id"));
        return Optional.ofNullable(id)
                .flatMap(store::find)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.NOT_FOUND, "webhook " + Problem.brief(call.path("id")) + " not found"));
    }

    private Delivery existingDelivery(Call call) {
        UUID webhookId = existing(call).id();
        UUID id = uuid(call.path("delivery"));
        return Optional.ofNullable(id)
                .flatMap(store::findDelivery)
                .filter(delivery -> delivery.webhookId().equals(webhookId))
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.NOT_FOUND, "delivery " + Problem.brief(call.path("delivery")) + " not found"));
    }

    private static @Nullable UUID uuid(String text) {
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
