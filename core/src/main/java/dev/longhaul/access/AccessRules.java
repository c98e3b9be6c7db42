package dev.longhaul.access;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.Limits;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Argument checks of every {@link AccessStore}. */
public final class AccessRules {
    /** The precision of a key's last-used time: exact times would cost a write per request. */
    public static final Duration USED_WITHIN = Duration.ofMinutes(1);

    private static final int HASH_BYTES = 32;
    private static final Duration LONGEST_SESSION = Duration.ofDays(365);

    private AccessRules() {}

    public static void requireKey(String name, byte[] hash) {
        hashed(hash).require(Names.valid(name), "name", name, Names.RULE).throwIfAny();
    }

    public static void requireName(String name) {
        new Problems().require(Names.valid(name), "name", name, Names.RULE).throwIfAny();
    }

    public static void requireSession(byte[] hash, Duration life) {
        boolean sane = life.compareTo(Duration.ZERO) > 0 && life.compareTo(LONGEST_SESSION) <= 0;
        hashed(hash)
                .require(sane, "life", life, "> 0, at most " + LONGEST_SESSION.toDays() + " days")
                .throwIfAny();
    }

    public static void requirePage(int limit) {
        new Problems()
                .require(limit >= 1 && limit <= Limits.PAGE, "limit", limit, "1 to " + Limits.PAGE)
                .throwIfAny();
    }

    /** The error for a secret that another key has. */
    public static LonghaulException taken() {
        return new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("hash", "in use", "the hash of a new secret")));
    }

    /** The error for a key that does not exist or is revoked. */
    public static LonghaulException noKey(UUID id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "API key " + id + " not found, or revoked");
    }

    private static Problems hashed(byte[] hash) {
        return new Problems().require(hash.length == HASH_BYTES, "hash", hash.length + " bytes", HASH_BYTES + " bytes");
    }
}
