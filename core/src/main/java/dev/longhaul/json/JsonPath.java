package dev.longhaul.json;

import dev.longhaul.internal.text.Text;
import java.util.List;
import java.util.regex.Pattern;

/** Formats the path of a value inside a JSON value for people: {@code params.items[2].url}. */
final class JsonPath {
    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_$@-]+");
    private static final int LONGEST = 300;

    private JsonPath() {}

    /**
     * Formats the place inside {@code field} to which {@code path}, a list of property names and array indexes, leads.
     */
    static String of(String field, List<?> path) {
        var place = new StringBuilder(field);
        for (Object step : path) {
            if (step instanceof Integer) {
                place.append('[').append(step).append(']');
            } else if (PLAIN.matcher(step.toString()).matches()) {
                place.append(place.isEmpty() ? "" : ".").append(step);
            } else {
                place.append("[\"")
                        .append(step.toString().replace("\"", "\\\""))
                        .append("\"]");
            }
        }
        return Text.storableOf(place.toString(), LONGEST);
    }
}
