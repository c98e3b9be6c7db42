package dev.longhaul.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Creates and revokes API keys, for REST and the command line. Records each change in the audit trail. */
public final class Keys {
    /** Prefix of every secret, so that scanners for leaked secrets recognize it. */
    public static final String PREFIX = "lh_";

    /** Name of the admin key that was read from a file. */
    public static final String FROM_FILE = "admin-key-file";

    private static final Uuid7 IDS = new Uuid7(System::currentTimeMillis);
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9._~+/=-]{32,512}");
    /** Minimum number of distinct characters. The chance that 32 random hex digits have fewer is one in ten million. */
    private static final int FEWEST_CHARACTERS = 8;

    private Keys() {}

    /**
     * A new key.
     *
     * @param secret the secret that callers send; it is not stored and cannot be shown again
     */
    public record Created(ApiKey key, String secret) {
        /** Omits the secret, which must not appear in logs. */
        @Override
        public String toString() {
            return "Created[" + key + "]";
        }
    }

    public static Created create(AccessStore store, String name, Role role, String by) {
        return create(store, name, Rights.of(role), by);
    }

    public static Created create(AccessStore store, String name, Rights rights, String by) {
        String secret = PREFIX + Token.random();
        return new Created(add(store, name, rights, secret, by), secret);
    }

    public static ApiKey revoke(AccessStore store, UUID id, String by) {
        return attributed(by, () -> store.revoke(id, by))
                .orElseThrow(() -> new LonghaulException(ErrorCode.NOT_FOUND, "API key " + id + " not found"));
    }

    /** Returns whether any valid key exists. */
    public static boolean anyValid(AccessStore store) {
        return store.keys().stream().anyMatch(key -> !key.revoked());
    }

    /**
     * Adds the content of a file as the first admin key. Does nothing if a valid key exists.
     *
     * @return whether the key was added
     */
    public static boolean addFirst(AccessStore store, Path file) {
        if (anyValid(store)) {
            return false;
        }
        String secret = read(file);
        try {
            add(store, FROM_FILE, Rights.of(Role.ADMIN), secret, FROM_FILE);
            return true;
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            // Another server on the same database may have added the key already. A revoked key must stay revoked.
            if (store.byHash(Token.hash(secret)).isPresent()) {
                return false;
            }
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "the key in " + file + " was revoked; write a new secret into the file, and start again");
        }
    }

    private static ApiKey add(AccessStore store, String name, Rights rights, String secret, String by) {
        return attributed(by, () -> store.add(IDS.next(), name, rights, Token.hash(secret), by));
    }

    /** Runs a command on behalf of the caller of the current request; outside of requests, on behalf of {@code by}. */
    private static <T> T attributed(String by, Supplier<T> command) {
        return Actor.current() == null ? Actor.named(by).act(command) : command.get();
    }

    private static String read(Path file) {
        try {
            String secret = Files.readString(file, UTF_8).strip();
            if (!SECRET.matcher(secret).matches()) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        "admin key file " + file + ": " + secret.length()
                                + " characters (expected: 32 to 512 of A-Z a-z 0-9 . _ ~ + / = - in one line; "
                                + "create them with `openssl rand -hex 32`)");
            }
            long different = secret.chars().distinct().count();
            if (different < FEWEST_CHARACTERS) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        "admin key file " + file + ": only " + different
                                + " different characters, which can be guessed (expected: at least " + FEWEST_CHARACTERS
                                + "; create a secret with `openssl rand -hex 32`)");
            }
            SecretFile.warnIfOpenToAll(file, "the admin key");
            return secret;
        } catch (IOException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    "admin key file " + file + " cannot be read (" + e
                            + "); write the secret into it, or use another file");
        }
    }
}
