package dev.longhaul.usecase;

import dev.longhaul.job.DefinitionRef;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Suggests known definitions for an unknown name. */
final class NearNames {
    private static final int MOST = 5;
    private static final int SHORTEST_PREFIX = 3;
    private static final int PREFIX = 100;
    private static final int SAME_GROUP = 300;
    private static final int FAR = Integer.MAX_VALUE;

    private NearNames() {}

    /**
     * The text after "expected:" in the error about an unknown definition.
     *
     * @param name {@code key} or {@code key@version}
     */
    static String expected(String name, Collection<DefinitionRef> known) {
        if (known.isEmpty()) {
            return "a registered definition; none is registered";
        }
        List<DefinitionRef> near = of(name, known);
        if (near.isEmpty() && known.size() <= MOST) {
            near = known.stream().sorted().toList();
        }
        return near.isEmpty()
                ? "a registered definition; none of the " + known.size() + " is similar"
                : near.stream().map(DefinitionRef::toString).collect(Collectors.joining(", ", "one of ", ""));
    }

    static List<DefinitionRef> of(String name, Collection<DefinitionRef> known) {
        int at = name.indexOf('@');
        String typed = (at < 0 ? name : name.substring(0, at)).toLowerCase(Locale.ROOT);
        record Candidate(DefinitionRef ref, int distance) {}
        return known.stream()
                .map(ref -> new Candidate(ref, distance(typed, ref.key().toLowerCase(Locale.ROOT))))
                .filter(candidate -> candidate.distance() < FAR)
                .sorted(Comparator.comparingInt(Candidate::distance)
                        .thenComparing(candidate -> candidate.ref().key())
                        // Newest version of a key first.
                        .thenComparing(candidate -> -candidate.ref().version()))
                .limit(MOST)
                .map(Candidate::ref)
                .toList();
    }

    /**
     * Names with few typing errors first, then prefixes of each other, then names of the same group: {@code mail.} of
     * mail.send.
     */
    private static int distance(String typed, String known) {
        int errors = errors(typed, known);
        if (errors <= Math.max(1, typed.length() / 3)) {
            return errors;
        }
        int shorter = Math.min(typed.length(), known.length());
        if (shorter >= SHORTEST_PREFIX && (typed.startsWith(known) || known.startsWith(typed))) {
            return PREFIX + errors;
        }
        String group = typed.substring(0, typed.lastIndexOf('.') + 1);
        return !group.isEmpty() && known.startsWith(group) ? SAME_GROUP + errors : FAR;
    }

    /** The edit distance: how many characters must be added, dropped or replaced to turn one name into the other. */
    private static int errors(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[other.length() + 1];
            now[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, Math.min(before[j], now[j - 1]) + 1);
            }
            before = now;
        }
        return before[other.length()];
    }
}
