package dev.longhaul.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Compares what a command printed with what a page says that it prints. {@code …} on a page stands for any text within a line,
 * and alone in a line for any number of lines. JSON on a page may leave out fields and the last elements of a list. Ids, times
 * and the amount of white space are not compared. A page may break a long line; the second part is indented.
 */
final class DocOutput {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANY = "…";
    private static final Pattern VARYING = Pattern.compile(
            "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" + "|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");

    private DocOutput() {}

    static boolean matches(String page, String printed) {
        List<String> expected = page.strip()
                .replaceAll("\\n {2,}", "")
                .lines()
                .map(String::strip)
                .toList();
        List<String> actual = printed.strip().lines().map(String::strip).toList();
        return expected.isEmpty() || matches(expected, actual);
    }

    private static boolean matches(List<String> expected, List<String> actual) {
        if (expected.isEmpty()) {
            return actual.isEmpty();
        }
        String first = expected.get(0);
        List<String> rest = expected.subList(1, expected.size());
        if (first.equals(ANY)) {
            for (int skipped = 0; skipped <= actual.size(); skipped++) {
                if (matches(rest, actual.subList(skipped, actual.size()))) {
                    return true;
                }
            }
            return false;
        }
        return !actual.isEmpty() && line(first, actual.get(0)) && matches(rest, actual.subList(1, actual.size()));
    }

    private static boolean line(String expected, String actual) {
        int json = expected.startsWith("data: ") ? "data: ".length() : 0;
        if (expected.startsWith("{", json) && actual.startsWith("{", json)) {
            try {
                return covers(JSON.readTree(expected.substring(json)), JSON.readTree(actual.substring(json)));
            } catch (JsonProcessingException e) {
                return false;
            }
        }
        return Pattern.matches(pattern(expected), actual);
    }

    private static String pattern(String expected) {
        var pattern = new StringBuilder();
        for (String word : VARYING.matcher(expected).replaceAll(ANY).split("((?<=…)|(?=…)|\\s+)")) {
            if (!pattern.isEmpty()) {
                pattern.append("\\s*");
            }
            pattern.append(word.equals(ANY) ? ".*" : Pattern.quote(word));
        }
        return pattern.toString();
    }

    /** Whether all that the page shows is there. */
    private static boolean covers(JsonNode page, JsonNode actual) {
        if (page.isObject()) {
            return actual.isObject()
                    && page.properties().stream()
                            .allMatch(field ->
                                    actual.has(field.getKey()) && covers(field.getValue(), actual.get(field.getKey())));
        }
        if (page.isArray()) {
            for (int i = 0; i < page.size(); i++) {
                if (!actual.has(i) || !covers(page.get(i), actual.get(i))) {
                    return false;
                }
            }
            return actual.isArray();
        }
        if (page.isTextual() && actual.isTextual()) {
            return Pattern.matches("(?s)" + pattern(page.asText()), actual.asText());
        }
        return page.equals(actual);
    }
}
