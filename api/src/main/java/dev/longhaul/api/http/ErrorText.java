package dev.longhaul.api.http;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Removes internal details (class names, file names, parser settings) from error messages of libraries and the
 * database.
 */
public final class ErrorText {
    private static final List<Pattern> INTERNAL = List.of(
            // Matches a class name before a message, as in java.io.EOFException: End of input
            Pattern.compile("\\b(?:java|javax|com\\.google|com\\.fasterxml|org\\.postgresql)\\.[\\w.$]+:? ?"),
            // Matches Jackson's references to its own settings and to the source of a value.
            Pattern.compile("(?:,? ?from|: enable) `[^`]*`(?: to allow)?"),
            Pattern.compile(" ?\\(start marker at \\[[^\\]]*\\]\\)"));

    /** Matches a file in PostgreSQL's data directory, such as {@code base/16385/2619}. */
    private static final Pattern FILE = Pattern.compile("\"?\\b(?:base|global|pg_[a-z]+)/[\\w./-]+\"?");

    private ErrorText() {}

    public static String of(String text) {
        String shown = FILE.matcher(text).replaceAll("(a file of the database)");
        for (Pattern internal : INTERNAL) {
            shown = internal.matcher(shown).replaceAll("");
        }
        return shown.strip();
    }
}
