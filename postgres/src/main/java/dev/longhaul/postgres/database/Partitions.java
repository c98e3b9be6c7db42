package dev.longhaul.postgres.database;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The partitions of finished jobs and of the runs, steps and events of all jobs: one per table and UTC day, by the time
 * in the job's id. They are created days ahead; a partition that is missing anyway is created when a write fails
 * without it.
 */
public final class Partitions {
    public static final List<String> TABLES = List.of("finished_job", "job_run", "job_step", "job_event");

    private static final int DAYS_AHEAD = 7;
    private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("uuuuMMdd");
    /** The key of the lock that serializes processes that start at the same time; an arbitrary constant. */
    private static final long ADVISORY_LOCK = 0x6c6f6e676861756cL;

    /** The job id in the details of the failure: "Partition key of the failing row contains (job_id) = (…)". */
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final NamedSql existing = NamedSql.load("upkeep/partitions");
    private final Database database;

    public Partitions(Database database) {
        this.database = database;
    }

    /** Creates the partitions of today and of the days around it. */
    public void ensureAhead() {
        LocalDate today = day(database.now());
        ensure(today.minusDays(1).datesUntil(today.plusDays(DAYS_AHEAD + 1)).toList());
    }

    /** Creates the partition that a failed write lacked; returns false if the write failed for another reason. */
    public boolean createMissing(SQLException failure) {
        Matcher id = ID.matcher(missing(failure) ? Database.detail(failure) : "");
        if (!id.find()) {
            return false;
        }
        ensure(Set.of(day(new JobId(UUID.fromString(id.group())).madeAt())));
        return true;
    }

    /**
     * Runs writes for these jobs. If partitions are missing, creates the partitions of all these jobs and retries once.
     */
    public <T, R> R retryWithPartitions(Collection<T> items, Function<T, JobId> id, Supplier<R> work) {
        try {
            return work.get();
        } catch (LonghaulException e) {
            if (!(e.getCause() instanceof SQLException cause) || !missing(cause)) {
                throw e;
            }
            var days = new TreeSet<LocalDate>();
            items.forEach(item -> days.add(day(id.apply(item).madeAt())));
            ensure(days);
            return work.get();
        }
    }

    /** The days that have partitions. */
    public Set<LocalDate> days(Connection connection) throws SQLException {
        try (Call call = existing.on(connection)) {
            return new TreeSet<>(call.set("parent", TABLES.get(0)).list(row -> {
                String name = row.text("name");
                return LocalDate.parse(name.substring(name.lastIndexOf('_') + 1), SUFFIX);
            }));
        }
    }

    public static UUID firstId(LocalDate day) {
        return Uuid7.lowest(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
    }

    public static String name(String table, LocalDate day) {
        return table + "_" + SUFFIX.format(day);
    }

    public static LocalDate day(Instant at) {
        return at.atZone(ZoneOffset.UTC).toLocalDate();
    }

    private void ensure(Collection<LocalDate> days) {
        database.transaction((connection, again) -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("select pg_advisory_xact_lock(" + ADVISORY_LOCK + ")");
                for (String table : TABLES) {
                    Set<String> names = names(connection, table);
                    for (LocalDate day : days) {
                        if (!names.contains(name(table, day))) {
                            make(statement, table, day);
                        }
                    }
                }
            }
            return days;
        });
    }

    private Set<String> names(Connection connection, String table) throws SQLException {
        try (Call call = existing.on(connection)) {
            return new HashSet<>(call.set("parent", table).list(row -> row.text("name")));
        }
    }

    /**
     * Creates the table first and then attaches it, which takes no lock that readers or writers of the parent wait for.
     */
    private static void make(Statement statement, String table, LocalDate day) throws SQLException {
        String name = "longhaul." + name(table, day);
        statement.execute("create table " + name + " (like longhaul." + table + " including all)");
        statement.execute("alter table longhaul." + table + " attach partition " + name + " for values from ('"
                + firstId(day) + "') to ('" + firstId(day.plusDays(1)) + "')");
    }

    private static boolean missing(SQLException e) {
        // A violated check constraint has a name; a row without a partition violates none.
        return "23514".equals(e.getSQLState()) && Database.constraint(e).isEmpty();
    }
}
