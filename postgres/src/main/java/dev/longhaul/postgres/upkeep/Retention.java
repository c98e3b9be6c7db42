package dev.longhaul.postgres.upkeep;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Partitions;
import dev.longhaul.postgres.webhook.Effects;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Upkeep.Retained;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes data that finished long ago: drops a day's partitions when no job created on that day is live or still
 * retained, otherwise deletes row by row in small batches. Retention of a day or more removes only days before the
 * cutoff's day, so that most days are dropped as a whole; a job may therefore stay up to a day longer than configured.
 * Shorter retention also deletes rows of the current day and the day before, whose partitions stay.
 */
public final class Retention {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final int BATCH = 1000;
    private static final Duration DAY = Duration.ofDays(1);
    /** How far an id may be ahead of the database's clock and still be found by a retention of less than a day. */
    private static final Duration ID_AHEAD = Duration.ofMinutes(5);

    private final NamedSql survivors = NamedSql.load("upkeep/survivors");
    private final NamedSql kept = NamedSql.load("upkeep/kept");
    private final NamedSql forgetKeys = NamedSql.load("upkeep/forget_keys");
    private final NamedSql forgetJobs = NamedSql.load("upkeep/forget_jobs");
    private final NamedSql forgetFires = NamedSql.load("upkeep/forget_fires");
    private final NamedSql forgetAliases = NamedSql.load("upkeep/forget_aliases");
    private final NamedSql forgetHeldLeases = NamedSql.load("upkeep/forget_held_leases");
    private final NamedSql forgetDeliveries = NamedSql.load("upkeep/forget_deliveries");
    private final NamedSql forgetHooksOfDay = NamedSql.load("upkeep/forget_hooks_of_day");
    private final NamedSql forgetWebhooksOfDay = NamedSql.load("upkeep/forget_webhooks_of_day");
    private final NamedSql lockIdleShared = NamedSql.load("upkeep/lock_idle_shared");
    private final NamedSql forgetShared = NamedSql.load("upkeep/forget_shared");
    private final Database database;
    private final Partitions partitions;
    private final Leader leader;
    private final Effects effects;

    public Retention(Database database, Partitions partitions, Leader leader, Effects effects) {
        this.database = database;
        this.partitions = partitions;
        this.leader = leader;
        this.effects = effects;
    }

    public Retained retain(Leadership leadership, Duration keep) {
        if (!leads(leadership)) {
            return new Retained(0, 0);
        }
        partitions.ensureAhead();
        Instant now = database.now();
        Instant cutoff = now.minus(keep);
        // Effects are dispatched first, because removing a job also removes its own webhooks. If no server uses this
        // database, nothing else dispatches them.
        effects.dispatchAll();
        LocalDate firstKept = firstKeptDay(cutoff, now);
        Set<LocalDate> days = database.single((connection, again) -> partitions.days(connection));
        long jobs = 0;
        int dropped = 0;
        for (LocalDate day : days) {
            boolean whole = day.isBefore(firstKept);
            if (!(whole || keep.compareTo(DAY) < 0) || !leads(leadership)) {
                break;
            }
            long gone = whole ? dropDay(leadership, day, cutoff) : -1;
            if (gone >= 0) {
                dropped += Partitions.TABLES.size();
                jobs += gone;
            } else {
                jobs += forgetJobs(leadership, day, cutoff);
            }
        }
        forgetOld(leadership, forgetFires, cutoff);
        forgetOld(leadership, forgetDeliveries, cutoff);
        forgetOld(leadership, forgetHeldLeases, cutoff);
        forgetOld(leadership, forgetAliases, cutoff);
        asLeader(leadership, connection -> forgetShared(connection, cutoff));
        return new Retained(jobs, dropped);
    }

    /**
     * The first day whose partitions stay. New ids may still be created for yesterday, so its partitions always stay.
     */
    private static LocalDate firstKeptDay(Instant cutoff, Instant now) {
        LocalDate ofCutoff = Partitions.day(cutoff);
        LocalDate yesterday = Partitions.day(now).minusDays(1);
        return ofCutoff.isBefore(yesterday) ? ofCutoff : yesterday;
    }

    private void forgetOld(Leadership leadership, NamedSql some, Instant cutoff) {
        int gone;
        do {
            gone = asLeader(leadership, connection -> {
                        try (Call call = some.on(connection)) {
                            return call.set("cutoff", cutoff)
                                    .set("max", (Integer) BATCH)
                                    .update();
                        }
                    })
                    .orElse(0);
        } while (gone >= BATCH);
    }

    /** Removes unused rows that webhooks of jobs shared; one batch per pass is enough. */
    private int forgetShared(Connection connection, Instant cutoff) throws SQLException {
        try (Call lock = lockIdleShared.on(connection);
                Call forget = forgetShared.on(connection)) {
            List<UUID> idle =
                    lock.set("cutoff", cutoff).set("max", (Integer) BATCH).list(row -> row.uuid("id"));
            return forget.uuids("ids", idle).update();
        }
    }

    private boolean leads(Leadership leadership) {
        return asLeader(leadership, connection -> true).isPresent();
    }

    /**
     * Runs work in a transaction while this process is the leader; no other process can become leader until it commits.
     */
    private <T> Optional<T> asLeader(Leadership leadership, Database.Work<T> work) {
        return database.transaction((connection, again) ->
                leader.holds(connection, leadership) ? Optional.of(work.on(connection)) : Optional.empty());
    }

    /** Drops the day's partitions and returns the number of removed jobs; -1 when a job of that day must stay. */
    private long dropDay(Leadership leadership, LocalDate day, Instant cutoff) {
        record Content(boolean mustStay, long jobs) {}
        Content content = database.single((connection, again) -> {
            try (Call live = survivors.on(connection);
                    Call finished = kept.on(connection)) {
                if (days(live, day).list(row -> row.flag("live")).get(0)) {
                    return new Content(true, 0);
                }
                return days(finished, day)
                        .set("cutoff", cutoff)
                        .list(row -> new Content(row.flag("recent"), row.bigint("jobs")))
                        .get(0);
            }
        });
        if (content.mustStay()) {
            return -1;
        }
        try {
            if (asLeader(leadership, connection -> drop(connection, day)).isEmpty()) {
                return -1;
            }
        } catch (LonghaulException e) {
            LOG.info("could not drop the partitions of {}; retrying in a later pass", day, e);
            return -1;
        }
        // Keys are removed after the drop, because its transaction must be short. An insert that finds a key without a
        // job takes the key over.
        while (asLeader(leadership, connection -> {
                            try (Call call = forgetKeys.on(connection)) {
                                return days(call, day).set("max", BATCH).update();
                            }
                        })
                        .orElse(0)
                > 0) {
            LOG.debug("freed idempotency keys of {}", day);
        }
        return content.jobs();
    }

    /**
     * New ids are created near the current time, so only an operator's retry can make a job of that day live again. The
     * retry needs a lock that the drop holds: either the last check sees the retried job, or the retry finds that the
     * job was removed. The short lock timeout prevents inserts from queueing behind a long reader.
     */
    private int drop(Connection connection, LocalDate day) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local lock_timeout = '50ms'");
            try (Call hooks = forgetHooksOfDay.on(connection);
                    Call webhooks = forgetWebhooksOfDay.on(connection)) {
                days(hooks, day).update();
                days(webhooks, day).update();
            }
            for (String table : Partitions.TABLES) {
                statement.execute("drop table longhaul." + Partitions.name(table, day));
            }
        }
        try (Call live = survivors.on(connection)) {
            if (days(live, day).list(row -> row.flag("live")).get(0)) {
                throw new SQLException("a job of " + day + " was retried just now", "40001");
            }
        }
        return Partitions.TABLES.size();
    }

    private long forgetJobs(Leadership leadership, LocalDate day, Instant cutoff) {
        long all = 0;
        UUID after = Partitions.firstId(day);
        UUID end = end(day, cutoff);
        while (true) {
            UUID from = after;
            List<UUID> some = asLeader(leadership, connection -> {
                        try (Call call = forgetJobs.on(connection)) {
                            return call.set("first", Partitions.firstId(day))
                                    .set("end", end)
                                    .set("after", from)
                                    .set("cutoff", cutoff)
                                    .set("max", BATCH)
                                    .list(row -> row.uuid("id"));
                        }
                    })
                    .orElse(List.of());
            if (some.isEmpty()) {
                return all;
            }
            all += some.size();
            after = some.stream()
                    .map(JobId::new)
                    .max(Comparator.naturalOrder())
                    .orElseThrow()
                    .value();
        }
    }

    /**
     * Returns the end of the range of ids to read. Jobs created after the cutoff cannot have finished before it, so
     * they are not read.
     */
    private static UUID end(LocalDate day, Instant cutoff) {
        Instant endOfDay = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
        Instant made = cutoff.plus(ID_AHEAD);
        return Uuid7.lowest((made.isBefore(endOfDay) ? made : endOfDay).toEpochMilli());
    }

    private static Call days(Call call, LocalDate day) throws SQLException {
        return call.set("first", Partitions.firstId(day)).set("end", Partitions.firstId(day.plusDays(1)));
    }
}
