package dev.longhaul.api.rest;

import dev.longhaul.api.http.Answer;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;

/** Writes webhooks and deliveries as JSON, without secrets. */
final class WebhookJson {
    private WebhookJson() {}

    static void write(Answer out, Webhook webhook) {
        WebhookSpec spec = webhook.spec();
        out.text("id", webhook.id().toString());
        out.text("url", spec.url());
        out.texts(
                "events",
                spec.events().stream().map(WebhookEvent::text).sorted().toList());
        out.texts("definitionKeys", spec.definitionKeys());
        out.texts("queues", spec.queues());
        out.map("labels", spec.labels());
        out.number("secrets", spec.secrets().size());
        out.flag("ofJobs", webhook.ofJobs());
        out.flag("enabled", webhook.enabled());
        out.number("failures", webhook.failures());
        out.time("resumeAt", webhook.resumeAt());
        out.time("createdAt", webhook.createdAt());
        out.time("updatedAt", webhook.updatedAt());
        out.text("createdBy", webhook.createdBy());
    }

    static void write(Answer out, Delivery delivery) {
        out.text("id", delivery.id().toString());
        out.text("webhookId", delivery.webhookId().toString());
        out.text("event", delivery.event().text());
        out.time("at", delivery.at());
        JobSummary job = delivery.job();
        if (job != null) {
            out.text("jobId", job.id().toString());
        }
        SystemEvent happening = delivery.happening();
        out.text("subject", happening == null ? null : happening.subject());
        out.text("url", delivery.url());
        out.text("state", delivery.state().text());
        out.number("tries", delivery.tries());
        boolean pending = delivery.state() == Delivery.State.PENDING;
        out.time("nextTryAt", pending ? delivery.nextTryAt() : null);
        out.time("endedAt", delivery.endedAt());
    }

    static void write(Answer out, DeliveryTry attempt) {
        out.number("number", attempt.number());
        out.time("endedAt", attempt.endedAt());
        out.number("tookMillis", attempt.took().toMillis());
        out.number("status", attempt.status());
        out.text("error", attempt.error());
        out.text("bodyHead", attempt.head());
    }
}
