package dev.longhaul.postgres.export;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.Migrations;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Partitions;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Imports the output of {@link DataExport}. Existing rows stay unchanged, so that importing twice, or again after a
 * failure, has the same effect as once; jobs that have changed since are left alone.
 */
public final class DataImport {
    private static final int MOST_ROWS = 500;
    private static final int MOST_CHARACTERS = 4_000_000;
    private static final Pattern KIND = Pattern.compile("\\{\"([a-z_]{1,40})\":.*\\}");
    private static final Pattern JOB = Pattern.compile("\"(?:job_)?id\": \"([0-9a-f-]{36})\"");
    private static final Pattern VERSION = Pattern.compile(".*\"schemaVersion\":([0-9]{1,9})\\D.*");

    private final NamedSql undo = NamedSql.load("upkeep/undo_import");
    private final NamedSql lostRuns = NamedSql.load("upkeep/import_lost_runs");
    private final Database database;
    private final Partitions partitions;
    private final List<String> batch = new ArrayList<>();
    private @Nullable Exported table;
    private int characters;
    private Answer sofar = new Answer(0, 0);

    public DataImport(DataSource dataSource) {
        this.database = new Database(dataSource);
        this.partitions = new Partitions(database);
    }

    /**
     * The result of an import.
     *
     * @param added rows that did not exist before
     */
    public record Answer(long read, long added) {}

    /**
     * Reads the whole export, and migrates the database first if needed.
     *
     * @param holdMasked imports data whose secrets are not in the export: jobs held, schedules paused, webhooks
     * disabled;
     *     otherwise such an export is rejected before anything is added
     */
    public Answer readFrom(BufferedReader in, boolean holdMasked) {
        try {
            String header = in.readLine();
            MaskedCounts masked = MaskedCounts.in(header == null ? "" : header);
            if (masked.any() && !holdMasked) {
                throw new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        "the export contains no secrets, but these need them: " + masked
                                + " (expected: an export made with --with-secrets; or import with --hold-masked, which adds such"
                                + " jobs held, schedules paused and webhooks disabled)");
            }
            requireHeader(header, new Migrations(database).apply());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String kind = kind(line);
                if (kind.equals(DataExport.TRAILER)) {
                    flush();
                    return sofar;
                }
                add(exported(kind), line);
            }
        } catch (IOException e) {
            throw bad("reading the export failed: " + e);
        }
        flush();
        throw bad("the export is truncated after " + sofar.read + " rows, which were imported; create a new export");
    }

    private static void requireHeader(@Nullable String line, int version) {
        Matcher header = VERSION.matcher(line == null ? "" : line);
        if (line == null || !line.startsWith("{\"" + DataExport.HEADER + "\":") || !header.matches()) {
            throw bad("not an export (expected: a file written by longhaul export)");
        }
        if (Integer.parseInt(header.group(1)) != version) {
            throw bad("the export's schema version: " + header.group(1) + " (expected: " + version
                    + "; import it with the version of Longhaul that wrote it, then migrate)");
        }
    }

    private String kind(String line) {
        Matcher matcher = KIND.matcher(line);
        if (!matcher.matches()) {
            throw bad("row " + (sofar.read + batch.size() + 1) + " is not a line of an export");
        }
        return matcher.group(1);
    }

    private static Exported exported(String kind) {
        for (Exported table : Exported.values()) {
            if (table.table().equals(kind)) {
                return table;
            }
        }
        throw bad("rows of kind " + kind + " (expected: a file written by longhaul export)");
    }

    private void add(Exported kind, String line) {
        if (kind != table || batch.size() == MOST_ROWS || characters > MOST_CHARACTERS) {
            flush();
        }
        table = kind;
        batch.add(line);
        characters += line.length();
    }

    private void flush() {
        Exported into = table;
        if (into != null && !batch.isEmpty()) {
            List<String> lines = List.copyOf(batch);
            int added = partitions.retryWithPartitions(lines, DataImport::job, () -> store(into, lines));
            sofar = new Answer(sofar.read + lines.size(), sofar.added + added);
        }
        batch.clear();
        characters = 0;
    }

    private int store(Exported into, List<String> lines) {
        return database.transaction((connection, again) -> {
            int added = into.load()
                    .run(connection, call -> call.texts("lines", lines).update());
            if (into == Exported.LIVE_JOB) {
                lostRuns.run(connection, call -> call.texts("lines", lines).update());
                added -= undo.run(connection, call -> call.texts("lines", lines).update());
            }
            return added;
        });
    }

    private static JobId job(String line) {
        Matcher matcher = JOB.matcher(line);
        if (!matcher.find()) {
            throw bad("a row of a job without the job's id");
        }
        return JobId.parse(matcher.group(1));
    }

    private static LonghaulException bad(String message) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
