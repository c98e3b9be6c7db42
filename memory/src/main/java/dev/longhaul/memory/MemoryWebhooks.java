package dev.longhaul.memory;

import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.Limits;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.memory.NotedDeliveries.NotedDelivery;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Webhooks of this process and their deliveries. */
final class MemoryWebhooks implements WebhookStore, DeliveryQueue {
    /** A delivery that no server has tried to send for this long is removed. */
    private static final Duration UNSENT = Duration.ofDays(30);

    private final Map<UUID, Webhook> webhooks = new LinkedHashMap<>();
    private final NotedDeliveries deliveries = new NotedDeliveries();
    private final Map<JobId, JobWebhook> ofJobs = new HashMap<>();
    private final StoreLock lock;

    MemoryWebhooks(StoreLock lock) {
        this.lock = lock;
    }

    /**
     * Creates deliveries of the job's last transition, for the webhooks that subscribe to it; callers hold the lock.
     */
    void publish(StoredJob stored, Instant now) {
        if (webhooks.isEmpty()) {
            return;
        }
        Job job = stored.view(now);
        JobSummary summary = JobSummary.of(job, stored.position());
        for (WebhookEvent event : eventsOf(job)) {
            for (Webhook webhook : subscriptions()) {
                if (webhook.spec().wants(event, job.spec())) {
                    note(webhook.id(), event, summary, null, now);
                }
            }
            publishToOwn(event, summary, now);
        }
    }

    private void publishToOwn(WebhookEvent event, JobSummary job, Instant now) {
        JobWebhook own = ofJobs.get(job.id());
        if (own != null
                && own.events().contains(event)
                && existing(own.sharedId()).enabled()) {
            deliveries.add(delivery(own.sharedId(), event, job, null, own.url(), now), own.secret());
        }
    }

    private List<Webhook> subscriptions() {
        return webhooks.values().stream()
                .filter(webhook -> webhook.enabled() && !webhook.ofJobs())
                .toList();
    }

    /** Stores the webhook of a new job; the caller holds the lock. */
    void add(JobSpec job, Instant now) {
        JobWebhook own = job.webhook();
        if (own != null) {
            ofJobs.put(job.id(), own);
            webhooks.computeIfAbsent(
                    own.sharedId(),
                    id -> new Webhook(id, WebhookSpec.sharedBy(own), true, true, now, now, null, 0, null));
        }
    }

    /** Removes the webhook of a removed job; pending deliveries stay. */
    void forget(JobId id) {
        ofJobs.remove(id);
    }

    private static List<WebhookEvent> eventsOf(Job job) {
        if (job.state() == JobState.RUNNING) {
            return List.of(WebhookEvent.JOB_STARTED);
        }
        if (job.state() == JobState.WAITING) {
            Failure failure = job.failure();
            boolean failed = failure != null && !failure.left();
            return failed ? List.of(WebhookEvent.JOB_RETRYING) : List.of();
        }
        return WebhookEvent.ofEnd(job.state());
    }

    @Override
    public void publish(WebhookEvent event, SystemEvent happening) {
        lock.update(now -> publish(event, happening, now));
    }

    /** Like {@link #publish(WebhookEvent, SystemEvent)}, for callers that hold the lock. */
    void publish(WebhookEvent event, SystemEvent happening, Instant now) {
        for (Webhook webhook : subscriptions()) {
            if (webhook.spec().wants(event, happening)) {
                note(webhook.id(), event, null, happening, now);
            }
        }
    }

    private Delivery note(
            UUID webhookId,
            WebhookEvent event,
            @Nullable JobSummary job,
            @Nullable SystemEvent happening,
            Instant now) {
        return deliveries.add(delivery(webhookId, event, job, happening, null, now), null);
    }

    private static Delivery delivery(
            UUID webhookId,
            WebhookEvent event,
            @Nullable JobSummary job,
            @Nullable SystemEvent happening,
            @Nullable String url,
            Instant now) {
        UUID id = UUID.randomUUID();
        return new Delivery(id, webhookId, event, now, job, happening, url, Delivery.State.PENDING, 0, now, null);
    }

    /**
     * Removes deliveries that ended before that time, and those that no server has tried to send for 30 days, unless
     * their webhook is disabled.
     */
    void forgetBefore(Instant time, Instant now) {
        Instant month = now.minus(UNSENT);
        Instant unsentSince = time.isBefore(month) ? time : month;
        deliveries.removeIf(noted -> {
            Delivery delivery = noted.delivery();
            Instant endedAt = delivery.endedAt();
            if (endedAt != null) {
                return endedAt.isBefore(time);
            }
            Webhook webhook = webhooks.get(delivery.webhookId());
            return webhook != null && webhook.enabled() && delivery.nextTryAt().isBefore(unsentSince);
        });
        webhooks.values()
                .removeIf(webhook -> webhook.ofJobs()
                        && webhook.createdAt().isBefore(time)
                        && webhook.updatedAt().equals(webhook.createdAt())
                        && ofJobs.values().stream()
                                .noneMatch(own -> own.sharedId().equals(webhook.id()))
                        && deliveries.all().noneMatch(one -> one.webhookId().equals(webhook.id())));
    }

    @Override
    public Webhook create(UUID id, WebhookSpec spec, @Nullable String by) {
        return lock.write(now -> {
            String creator = by == null ? null : Text.storableOf(by, Limits.KEY);
            Webhook before = webhooks.get(id);
            if (before != null) {
                return before;
            }
            var webhook = new Webhook(id, spec, false, true, now, now, creator, 0, null);
            webhooks.put(id, webhook);
            lock.audit().add(now, "webhook.create", id, () -> AuditDetails.created(webhook));
            return webhook;
        });
    }

    @Override
    public Webhook edit(UUID id, Function<Webhook, Settings> change) {
        return lock.write(now -> {
            Webhook was = existing(id);
            Settings to = change.apply(was);
            var is = new Webhook(
                    id, to.spec(), was.ofJobs(), to.enabled(), was.createdAt(), now, was.createdBy(), 0, null);
            webhooks.put(id, is);
            lock.audit().add(now, "webhook.edit", id, () -> AuditDetails.edited(was, is));
            return is;
        });
    }

    @Override
    public void delete(UUID id) {
        lock.update(now -> {
            Webhook was = existing(id);
            webhooks.remove(id);
            lock.audit().add(now, "webhook.delete", id, () -> AuditDetails.created(was));
            ofJobs.values().removeIf(own -> own.sharedId().equals(id));
            deliveries.removeIf(noted -> noted.delivery().webhookId().equals(id));
        });
    }

    @Override
    public Optional<Webhook> find(UUID id) {
        return lock.read(() -> Optional.ofNullable(webhooks.get(id)));
    }

    @Override
    public List<Webhook> list() {
        return lock.read(() -> List.copyOf(webhooks.values()));
    }

    @Override
    public List<Delivery> deliveries(
            UUID webhookId, Delivery.@Nullable State state, @Nullable Cursor before, int limit) {
        return lock.read(() -> deliveries.list(webhookId, state, before, limit));
    }

    @Override
    public Optional<Delivery> findDelivery(UUID id) {
        return lock.read(() -> deliveries.find(id).map(NotedDelivery::delivery));
    }

    @Override
    public List<DeliveryTry> tries(UUID deliveryId) {
        return lock.read(() -> List.copyOf(deliveries.existing(deliveryId).tries()));
    }

    @Override
    public Delivery redeliver(UUID deliveryId) {
        return lock.write(now -> {
            NotedDelivery was = deliveries.existing(deliveryId);
            lock.audit().add(now, "webhook.redeliver", deliveryId);
            if (was.beingSent(now)) {
                return was.delivery();
            }
            if (was.pending() && !was.due(now) && deliveries.isFirst(was)) {
                deliveries.moveFollowing(
                        was,
                        other -> other.delivery()
                                .nextTryAt()
                                .equals(was.delivery().nextTryAt()),
                        now);
            }
            return again(was, now);
        });
    }

    private Delivery again(NotedDelivery was, Instant now) {
        int tries = was.delivery().tries();
        Delivery again = was.with(Delivery.State.PENDING, tries, now, null).delivery();
        deliveries.put(new NotedDelivery(again, now, tries, was.secret(), was.tries()));
        return again;
    }

    @Override
    public Redelivered redeliver(
            UUID webhookId, Delivery.State state, @Nullable Instant from, @Nullable Instant before, int max) {
        return lock.write(now -> {
            List<Delivery> found = deliveries
                    .all()
                    .filter(one -> one.webhookId().equals(webhookId))
                    .filter(one -> one.state() == state)
                    .filter(one -> from == null || !one.at().isBefore(from))
                    .filter(one -> before == null || one.at().isBefore(before))
                    .sorted(Comparator.comparing(Delivery::at))
                    .toList();
            Instant last = found.size() < max ? null : found.get(max - 1).at();
            List<NotedDelivery> some = found.stream()
                    .filter(one -> last == null || !one.at().isAfter(last))
                    .map(one -> deliveries.existing(one.id()))
                    .filter(noted -> !noted.beingSent(now))
                    .toList();
            some.forEach(noted -> again(noted, now));
            lock.audit()
                    .add(
                            now,
                            "webhook.redeliver",
                            webhookId,
                            () -> AuditDetails.redelivered(state, from, before, some.size()));
            return new Redelivered(some.size(), last == null ? null : last.plus(1, ChronoUnit.MICROS));
        });
    }

    @Override
    public Delivery test(UUID webhookId) {
        return lock.write(now -> {
            if (!existing(webhookId).enabled()) {
                throw WebhookStore.disabled(webhookId);
            }
            lock.audit().add(now, "webhook.test", webhookId);
            return note(webhookId, WebhookEvent.WEBHOOK_TEST, null, null, now);
        });
    }

    @Override
    public Backlog backlog() {
        return lock.read(() -> {
            Instant now = lock.now();
            long parked = deliveries
                    .all()
                    .filter(one -> one.state() == Delivery.State.PARKED)
                    .count();
            List<NotedDelivery> pending =
                    deliveries.noted().filter(NotedDelivery::pending).toList();
            Instant oldest = pending.stream()
                    .filter(noted -> noted.due(now)
                            && takes(existing(noted.delivery().webhookId()))
                            && deliveries.isFirst(noted))
                    .map(noted -> noted.delivery().nextTryAt())
                    .min(Comparator.naturalOrder())
                    .orElse(null);
            long failing = pending.stream()
                    .map(noted -> existing(noted.delivery().webhookId()))
                    .filter(webhook -> webhook.enabled() && webhook.resumeAt() != null)
                    .distinct()
                    .count();
            return new Backlog(pending.size(), parked, oldest, failing);
        });
    }

    private static boolean takes(Webhook webhook) {
        return webhook.enabled() && webhook.resumeAt() == null;
    }

    @Override
    public List<DueDelivery> take(
            Map<UUID, Integer> sending, int mostPerWebhook, int most, SendingRules rules, Duration hold) {
        return lock.write(now -> {
            var taken = new ArrayList<DueDelivery>();
            for (Webhook webhook : webhooks.values()) {
                Instant resumeAt = webhook.resumeAt();
                if (webhook.enabled() && (resumeAt == null || !resumeAt.isAfter(now))) {
                    int own = webhook.failures() >= rules.breakAfter() ? 1 : mostPerWebhook;
                    int room = Math.min(own - sending.getOrDefault(webhook.id(), 0), most - taken.size());
                    taken.addAll(take(webhook, room, now, hold));
                }
            }
            return taken;
        });
    }

    private List<DueDelivery> take(Webhook webhook, int room, Instant now, Duration hold) {
        List<NotedDelivery> due = deliveries
                .noted()
                .filter(noted -> noted.delivery().webhookId().equals(webhook.id()) && noted.due(now))
                .filter(deliveries::isFirst)
                .sorted(Comparator.comparing(noted -> noted.delivery().nextTryAt()))
                .limit(Math.max(room, 0))
                .toList();
        return due.stream()
                .map(noted -> {
                    NotedDelivery under =
                            noted.with(Delivery.State.PENDING, noted.delivery().tries() + 1, now.plus(hold), null);
                    deliveries.put(under);
                    String url = under.delivery().url();
                    String secret = under.secret();
                    return new DueDelivery(
                            under.delivery(),
                            under.delivery().tries() - under.triesBefore(),
                            url == null ? webhook.spec().url() : url,
                            secret == null ? webhook.spec().secrets() : List.of(secret));
                })
                .toList();
    }

    @Override
    public Reported tried(UUID deliveryId, DeliveryTry outcome, Duration pause, SendingRules rules) {
        return lock.write(now -> {
            NotedDelivery was = deliveries.find(deliveryId).orElse(null);
            if (was == null || !was.awaits(outcome.number())) {
                return Reported.NOTHING;
            }
            Instant again = now.plus(pause);
            was.tries()
                    .add(new DeliveryTry(
                            outcome.number(), now, outcome.took(), outcome.status(), outcome.error(), outcome.head()));
            Webhook webhook = existing(was.delivery().webhookId());
            Instant since = later(was.since(), webhook.updatedAt());
            boolean parked = !outcome.succeeded() && again.isAfter(since.plus(rules.patience()));
            Delivery.State state = outcome.succeeded()
                    ? Delivery.State.DELIVERED
                    : parked ? Delivery.State.PARKED : Delivery.State.PENDING;
            boolean ended = state != Delivery.State.PENDING;
            deliveries.put(was.with(state, outcome.number(), ended ? now : again, ended ? now : null));
            if (!ended) {
                deliveries.moveFollowing(was, other -> !other.beingSent(now), again);
            }
            webhooks.put(webhook.id(), after(webhook, outcome.succeeded(), rules, now));
            return new Reported(
                    parked,
                    !outcome.succeeded() && webhook.failures() + 1 == rules.breakAfter(),
                    outcome.succeeded() && webhook.failures() >= rules.breakAfter());
        });
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    @Override
    public int giveUp(SendingRules rules, int max) {
        return lock.write(now -> {
            Instant before = now.minus(rules.patience());
            List<NotedDelivery> late = deliveries
                    .noted()
                    .filter(noted -> noted.due(before))
                    .filter(noted -> {
                        Webhook webhook = existing(noted.delivery().webhookId());
                        return webhook.enabled()
                                && webhook.resumeAt() != null
                                && !webhook.updatedAt().isAfter(before);
                    })
                    .limit(max)
                    .toList();
            late.forEach(noted -> deliveries.put(
                    noted.with(Delivery.State.PARKED, noted.delivery().tries(), now, now)));
            return late.size();
        });
    }

    private static Webhook after(Webhook was, boolean succeeded, SendingRules rules, Instant now) {
        int failures = succeeded ? 0 : was.failures() + 1;
        Instant resumeAt = failures >= rules.breakAfter() ? now.plus(rules.breakFor()) : null;
        return new Webhook(
                was.id(),
                was.spec(),
                was.ofJobs(),
                was.enabled(),
                was.createdAt(),
                was.updatedAt(),
                was.createdBy(),
                failures,
                resumeAt);
    }

    private Webhook existing(UUID id) {
        Webhook webhook = webhooks.get(id);
        if (webhook == null) {
            throw WebhookStore.noWebhook(id);
        }
        return webhook;
    }
}
