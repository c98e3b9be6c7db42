package dev.longhaul.api.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A bounded map that evicts the least recently used entry. */
public final class Recent<K, V> {
    private final Map<K, V> entries;

    public Recent(int most) {
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }

    public synchronized @Nullable V get(K key) {
        return entries.get(key);
    }

    public synchronized void put(K key, V value) {
        entries.put(key, value);
    }

    public synchronized V computeIfAbsent(K key, Supplier<V> value) {
        V found = entries.get(key);
        if (found == null) {
            found = value.get();
            entries.put(key, found);
        }
        return found;
    }

    public synchronized void remove(K key) {
        entries.remove(key);
    }

    public synchronized void clear() {
        entries.clear();
    }

    public synchronized int size() {
        return entries.size();
    }
}
