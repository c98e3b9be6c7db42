package dev.longhaul.cli.client;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds the existing name that is closest to a mistyped name. */
public final class NearestName {
    private static final int SHORT = 4;

    private NearestName() {}

    /**
     * Returns the closest name; null if none is close. A name may differ by one wrong, missing or swapped letter per
     * three letters.
     */
    public static @Nullable String of(String given, Collection<String> names) {
        String nearest = null;
        int least = given.length() < SHORT ? 2 : given.length() / 3 + 1;
        for (String name : names) {
            int distance = distance(given, name);
            if (distance < least) {
                least = distance;
                nearest = name;
            }
        }
        if (nearest != null || given.length() < 2) {
            return nearest;
        }
        return names.stream().filter(name -> name.startsWith(given)).findFirst().orElse(null);
    }

    /**
     * Returns how many changes of one letter, or swaps of two neighbouring letters, turn one text into the other
     * (optimal string alignment).
     */
    static int distance(String one, String other) {
        var rows = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    rows[i][j] = i + j;
                    continue;
                }
                int cost = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                int best = Math.min(rows[i - 1][j - 1] + cost, Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
                boolean swapped = i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1);
                rows[i][j] = swapped ? Math.min(best, rows[i - 2][j - 2] + 1) : best;
            }
        }
        return rows[one.length()][other.length()];
    }
}
