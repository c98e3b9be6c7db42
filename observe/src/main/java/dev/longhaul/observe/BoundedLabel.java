package dev.longhaul.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the number of values of a label, and so the number of time series. The first names are used as label values;
 * all further names share {@link #OTHER}.
 */
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
