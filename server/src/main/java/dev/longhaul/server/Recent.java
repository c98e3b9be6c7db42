package dev.longhaul.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A map that forgets what was not used for longest when it would grow too large. */
final class Recent<K, V> {
    private final Map<K, V> entries;

    Recent(int most) {
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }

    synchronized @Nullable V get(K key) {
        return entries.get(key);
    }

    synchronized void put(K key, V value) {
        entries.put(key, value);
    }

    synchronized V computeIfAbsent(K key, Supplier<V> value) {
        V found = entries.get(key);
        if (found == null) {
            found = value.get();
            entries.put(key, found);
        }
        return found;
    }

    synchronized void remove(K key) {
        entries.remove(key);
    }

    synchronized void clear() {
        entries.clear();
    }

    synchronized int size() {
        return entries.size();
    }
}
