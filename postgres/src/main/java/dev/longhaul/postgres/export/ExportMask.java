package dev.longhaul.postgres.export;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.Payload;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.NamedSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Masks secrets in params and results by the rules of {@code Jobs.paramsToShow}: masks the fields stored with the job
 * and the fields that its definition marks now; if neither is known, masks everything. Rows without secret fields are
 * not parsed.
 */
final class ExportMask {
    private static final String MASKED = "\"***\"";
    private static final int MOST_REMEMBERED = 1000;

    private record Marks(JobSecrets places, JsonSchema params, JsonSchema result) {}

    private final Map<DefinitionRef, Marks> known = new HashMap<>();
    private final Map<String, JobSecrets> stored = new HashMap<>();

    /**
     * The values of a row to be written.
     *
     * @param masked whether one of its secrets was masked
     * @param resumes whether the row would run after an import
     */
    record Values(@Nullable String params, @Nullable String result, boolean masked, boolean resumes) {
        /** Returns the row with these values added. */
        String in(String row) {
            var line = new StringBuilder(row).deleteCharAt(row.length() - 1);
            if (params != null) {
                line.append(", \"params\": ").append(Payload.quoted(params));
            }
            if (result != null) {
                line.append(", \"result\": ").append(Payload.quoted(result));
            }
            return line.append('}').toString();
        }
    }

    private ExportMask() {}

    static ExportMask of(Connection connection) throws SQLException {
        var mask = new ExportMask();
        try (Call call = NamedSql.load("work/definitions").on(connection)) {
            call.list(row -> mask.known.put(
                    new DefinitionRef(row.text("definition_key"), row.integer("definition_version")),
                    marks(row.text("definition_key"), row.text("params_schema"), row.text("result_schema"))));
        }
        return mask;
    }

    private static Marks marks(String key, String params, String result) {
        try {
            JsonSchema ofParams = JsonSchema.parse(params);
            JsonSchema ofResult = JsonSchema.parse(result);
            return new Marks(JobSecrets.of(key, ofParams, ofResult), ofParams, ofResult);
        } catch (LonghaulException e) {
            return new Marks(JobSecrets.EVERYTHING, JsonSchema.ANYTHING, JsonSchema.ANYTHING);
        }
    }

    Values masked(ResultSet row) throws SQLException {
        String params = row.getString("params");
        String result = row.getString("result");
        Marks marks = marks(row);
        JobSecrets places = marks.places();
        if (!places.any()) {
            return new Values(params, result, false, false);
        }
        boolean steps = row.getBoolean("steps");
        if (params == null) {
            // The result of a step has no marked fields, and may contain any of the job's secrets.
            return new Values(null, MASKED, true, false);
        }
        String shownParams = changed(params, places.maskedParams(params, marks.params()));
        String shownResult = result == null
                ? null
                : changed(
                        result,
                        places.secretsIn(params, marks.params()).hideJson(places.maskedResult(result, marks.result())));
        boolean masked = steps || !params.equals(shownParams) || (result != null && !result.equals(shownResult));
        return new Values(shownParams, shownResult, masked, masked && row.getBoolean("resumes"));
    }

    /** The original text, unless something in it was masked. */
    private static String changed(String text, String shown) {
        return shown.contains("***") ? shown : text;
    }

    private Marks marks(ResultSet row) throws SQLException {
        String key = row.getString("definition_key");
        String secrets = row.getString("secrets");
        Marks now = key == null ? null : known.get(new DefinitionRef(key, row.getInt("definition_version")));
        if (now != null && secrets == null) {
            return now;
        }
        JobSecrets places = places(secrets).and(now == null ? always(key) : now.places());
        return now == null
                ? new Marks(places.any() ? places : JobSecrets.EVERYTHING, JsonSchema.ANYTHING, JsonSchema.ANYTHING)
                : new Marks(places, now.params(), now.result());
    }

    private static JobSecrets always(@Nullable String key) {
        return key == null ? JobSecrets.NONE : JobSecrets.always(key);
    }

    private JobSecrets places(@Nullable String text) {
        if (text == null) {
            return JobSecrets.NONE;
        }
        if (stored.size() > MOST_REMEMBERED) {
            stored.clear();
        }
        return stored.computeIfAbsent(text, JobSecrets::parse);
    }
}
