package dev.longhaul.work;

import org.jspecify.annotations.Nullable;

/**
 * Whether a write about a running job took effect.
 *
 * @param reason why it was rejected; null otherwise
 */
public record Verdict(Kind kind, @Nullable String reason) {
    public static final Verdict WON = new Verdict(Kind.WON, null);
    public static final Verdict LOST = new Verdict(Kind.LOST, null);
    public static final Verdict LOCKED = new Verdict(Kind.LOCKED, null);

    /** The possible results of such a write. */
    public enum Kind {
        /** The write is committed. */
        WON,
        /** The claim no longer holds; nothing changed. */
        LOST,
        /** The claim holds, but the write cannot be stored or does not fit the job's state; nothing changed. */
        REFUSED,
        /** The claim holds, but another session has locked the job; nothing changed. Write it again later. */
        LOCKED
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
