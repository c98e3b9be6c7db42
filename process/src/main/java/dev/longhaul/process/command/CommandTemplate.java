package dev.longhaul.process.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command with {@code {name}} placeholders for params. An argument that consists of a list param expands to one
 * argument per element; an argument with an absent param is omitted. Braces around text that is not a param name are
 * kept.
 */
record CommandTemplate(
        List<String> argv,
        Map<String, String> env,
        @Nullable String dir,
        @Nullable String stdin,
        Set<String> names) {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Za-z0-9_]+)}");

    Command fill(JsonNode params) {
        List<String> words = new ArrayList<>();
        for (String word : argv) {
            words.addAll(words(word, params));
        }
        Map<String, String> variables = new TreeMap<>();
        env.forEach((name, value) -> {
            String filled = text(value, params);
            if (filled != null) {
                variables.put(name, filled);
            }
        });
        return new Command(
                words,
                variables,
                dir == null ? null : text(dir, params),
                stdin == null ? null : text(stdin, params),
                null);
    }

    private List<String> words(String word, JsonNode params) {
        Matcher whole = PLACEHOLDER.matcher(word);
        if (whole.matches() && names.contains(whole.group(1))) {
            JsonNode value = params.path(whole.group(1));
            if (value.isArray()) {
                List<String> each = new ArrayList<>();
                value.forEach(element -> each.add(element.asText()));
                return each;
            }
        }
        String filled = text(word, params);
        return filled == null ? List.of() : List.of(filled);
    }

    /** Replaces the placeholders; null if a param is absent. */
    private @Nullable String text(String template, JsonNode params) {
        Matcher places = PLACEHOLDER.matcher(template);
        var text = new StringBuilder();
        while (places.find()) {
            String name = places.group(1);
            if (!names.contains(name)) {
                continue;
            }
            JsonNode value = params.path(name);
            if (value.isMissingNode() || value.isNull()) {
                return null;
            }
            places.appendReplacement(
                    text, Matcher.quoteReplacement(value.isValueNode() ? value.asText() : value.toString()));
        }
        return places.appendTail(text).toString();
    }
}
