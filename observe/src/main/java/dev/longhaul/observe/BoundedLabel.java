package dev.longhaul.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Limits the values of a label: the first names keep theirs, further ones share {@link #OTHER}. Bounds the number of time series. */
final class BoundedLabel {
    static final String OTHER = "(other)";

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int most;

    BoundedLabel(int most) {
        this.most = most;
    }

    String of(String name) {
        if (known.contains(name)) {
            return name;
        }
        synchronized (known) {
            if (known.size() >= most) {
                return OTHER;
            }
            known.add(name);
            return name;
        }
    }
}
