package dev.longhaul.store;

import org.jspecify.annotations.Nullable;

/**
 * Whether a write about a running job took effect.
 *
 * @param reason why it was refused; null otherwise
 */
public record Verdict(Kind kind, @Nullable String reason) {
    public static final Verdict WON = new Verdict(Kind.WON, null);
    public static final Verdict LOST = new Verdict(Kind.LOST, null);

    /** The three ways such a write can go. */
    public enum Kind {
        /** It is committed. */
        WON,
        /** The claim no longer holds; nothing changed. */
        LOST,
        /** The claim holds, but this cannot be stored or does not fit the state; nothing changed. */
        REFUSED
    }

    public static Verdict refused(String reason) {
        return new Verdict(Kind.REFUSED, reason);
    }

    public boolean won() {
        return kind == Kind.WON;
    }

    public boolean lost() {
        return kind == Kind.LOST;
    }
}
