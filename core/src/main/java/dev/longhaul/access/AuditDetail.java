package dev.longhaul.access;

import dev.longhaul.internal.text.Text;
import dev.longhaul.json.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@code detail} of an {@link AuditEntry}: a JSON object of facts, with the fields that changed under
 * {@code changes}, each as {@code from} and {@code to}. Facts that are null and fields that stayed the same are left
 * out.
 */
public final class AuditDetail {
    private static final int LONGEST_VALUE = 1000;
    private static final String HIDDEN = "***";

    private final Map<String, Object> facts = new TreeMap<>();
    private final Map<String, Object> changes = new TreeMap<>();

    /** Adds a fact: text, a number, a flag, a map or a collection. */
    public AuditDetail with(String name, @Nullable Object value) {
        if (value != null) {
            facts.put(name, Objects.requireNonNull(plain(value)));
        }
        return this;
    }

    /** Adds a field, if its value changed. */
    public AuditDetail change(String field, @Nullable Object from, @Nullable Object to) {
        return Objects.equals(from, to) ? this : changed(field, plain(from), plain(to));
    }

    /** Adds a field without its values, if it changed. */
    public AuditDetail hiddenChange(String field, @Nullable Object from, @Nullable Object to) {
        return Objects.equals(from, to) ? this : changed(field, HIDDEN, HIDDEN);
    }

    private AuditDetail changed(String field, @Nullable Object from, @Nullable Object to) {
        var values = new TreeMap<String, @Nullable Object>();
        values.put("from", from);
        values.put("to", to);
        changes.put(field, values);
        return this;
    }

    /** Whether any field changed. */
    public boolean changed() {
        return !changes.isEmpty();
    }

    /** The JSON object; null when it has no members. */
    public @Nullable String json() {
        var all = new TreeMap<>(facts);
        if (changed()) {
            all.put("changes", changes);
        }
        return all.isEmpty() ? null : Json.write(all);
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Map<?, ?> map) {
            var members = new TreeMap<String, @Nullable Object>();
            map.forEach((name, member) -> members.put(String.valueOf(name), plain(member)));
            return members;
        }
        if (value instanceof Collection<?> items) {
            return items.stream().map(AuditDetail::plain).toList();
        }
        String text = value instanceof Duration duration ? Text.of(duration) : value.toString();
        return Text.storableOf(text, LONGEST_VALUE);
    }
}
