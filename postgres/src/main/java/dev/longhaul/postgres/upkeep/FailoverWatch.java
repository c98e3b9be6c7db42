package dev.longhaul.postgres.upkeep;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.JobId;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.spi.Inserted;
import dev.longhaul.webhook.SystemEvent;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the timeline of the database every few seconds. A change means that a standby was promoted: it is logged,
 * counted and sent to webhooks, and the recently acknowledged jobs of this process are looked up, because an
 * asynchronous standby may never have received them.
 */
public final class FailoverWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FailoverWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int BATCH = 1000;
    private static final int IDS_PER_LINE = 50;
    private static final int MOST_LINES = 20;
    /** SQL states: no privilege, no such function, not supported. */
    private static final Set<String> NOT_REPORTED = Set.of("42501", "42883", "0A000");

    private final NamedSql readTimeline = NamedSql.load("upkeep/timeline");
    private final NamedSql lockTimeline = NamedSql.load("upkeep/lock_timeline");
    private final NamedSql noteTimeline = NamedSql.load("upkeep/note_timeline");
    private final NamedSql missingJobs = NamedSql.load("upkeep/missing_jobs");
    private final Database database;
    private final PostgresWebhooks webhooks;
    private final AcknowledgedJobs acknowledged = new AcknowledgedJobs();
    private @Nullable BackgroundLoop loop;
    private volatile boolean closed;
    private volatile int timeline;
    private final AtomicLong failovers = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private boolean standby;

    private record Reading(boolean standby, int timeline) {}

    public FailoverWatch(Database database, PostgresWebhooks webhooks) {
        this.database = database;
        this.webhooks = webhooks;
    }

    public void start() {
        loop = BackgroundLoop.helper("failover-watch", () -> {
            check();
            Thread.sleep(INTERVAL.toMillis());
            return !closed;
        });
    }

    /** Remembers committed jobs that are about to be returned to the caller. */
    public void acknowledged(List<Inserted> inserted) {
        for (Inserted one : inserted) {
            if (one.isNew()) {
                acknowledged.add(one.job().id());
            }
        }
    }

    public int timeline() {
        return timeline;
    }

    public long failovers() {
        return failovers.get();
    }

    public long lost() {
        return lost.get();
    }

    /** Polls the database once; does nothing while it is unavailable. */
    void check() {
        try {
            Optional<Reading> reading = read();
            if (reading.isPresent()) {
                compare(reading.get());
            }
        } catch (LonghaulException e) {
            if (closed) {
                return; // closing cut the connection
            }
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            LOG.debug("polling the database timeline failed; retrying", e);
        }
    }

    /** Reads the timeline. Empty if the server does not report it; some managed servers do not. */
    private Optional<Reading> read() {
        try {
            return database.single(
                    readTimeline,
                    call -> call.list(row -> new Reading(row.flag("standby"), row.integer("timeline"))).stream()
                            .findFirst());
        } catch (LonghaulException e) {
            if (closed
                    || !(e.getCause() instanceof SQLException cause)
                    || !NOT_REPORTED.contains(String.valueOf(cause.getSQLState()))) {
                throw e;
            }
            LOG.warn("this PostgreSQL does not report its timeline; failovers cannot be detected: {}", e.getMessage());
            closed = true;
            return Optional.empty();
        }
    }

    private void compare(Reading reading) {
        if (reading.standby()) {
            if (!standby) {
                LOG.warn("connected to a standby; writes fail until it is promoted (set targetServerType=primary in the"
                        + " database URL)");
            }
            standby = true;
            return;
        }
        standby = false;
        int before = timeline;
        int now = reading.timeline();
        if (before == 0) {
            Integer stored = note(now, 0);
            if (stored != null) {
                failovers.incrementAndGet();
                LOG.error("database failover: timeline {} -> {} since Longhaul was last connected", stored, now);
            }
        } else if (now < before) {
            failovers.incrementAndGet();
            LOG.error(
                    "the database's timeline went back from {} to {}: this is an old primary; stop it, its writes will"
                            + " be lost",
                    before,
                    now);
        } else if (now > before) {
            failedOver(before, now);
        }
        timeline = now;
    }

    private void failedOver(int before, int now) {
        long end = acknowledged.count();
        List<JobId> recent = acknowledged.recent();
        List<JobId> missing = missing(recent);
        note(now, missing.size());
        acknowledged.checked(end);
        failovers.incrementAndGet();
        lost.addAndGet(missing.size());
        if (missing.isEmpty()) {
            LOG.error(
                    "database failover: timeline {} -> {}; all of the last {} jobs that this process acknowledged exist",
                    before,
                    now,
                    recent.size());
            return;
        }
        LOG.error(
                "database failover: timeline {} -> {}; {} of the last {} jobs that this process acknowledged are lost",
                before,
                now,
                missing.size(),
                recent.size());
        for (int i = 0; i < missing.size() && i < IDS_PER_LINE * MOST_LINES; i += IDS_PER_LINE) {
            LOG.error(
                    "database failover: lost jobs, submit them again: {}",
                    missing.subList(i, Math.min(i + IDS_PER_LINE, missing.size())));
        }
    }

    private List<JobId> missing(List<JobId> ids) {
        var missing = new ArrayList<JobId>();
        for (int i = 0; i < ids.size(); i += BATCH) {
            List<JobId> some = ids.subList(i, Math.min(i + BATCH, ids.size()));
            missing.addAll(database.single(
                    missingJobs,
                    call -> call.uuids("ids", some.stream().map(JobId::value).toList())
                            .list(row -> new JobId(row.uuid("id")))));
        }
        return missing;
    }

    /**
     * Stores the timeline, and notifies webhooks in the same commit; returns the previous timeline if this call changed
     * it.
     */
    private @Nullable Integer note(int now, long missing) {
        return database.transaction((connection, again) -> {
                    Optional<Integer> before;
                    try (Call lock = lockTimeline.on(connection);
                            Call note = noteTimeline.on(connection)) {
                        before = lock.list(row -> row.integer("timeline")).stream()
                                .findFirst();
                        note.set("timeline", now).update();
                    }
                    Optional<Integer> changed = before.filter(one -> one != now);
                    if (changed.isPresent()) {
                        webhooks.publish(
                                connection,
                                WebhookEvent.DATABASE_FAILOVER,
                                SystemEvent.failover(changed.get(), now, missing));
                    }
                    return changed;
                })
                .orElse(null);
    }

    @Override
    public void close() {
        closed = true;
        BackgroundLoop started = loop;
        if (started != null) {
            started.interrupt();
        }
    }
}
