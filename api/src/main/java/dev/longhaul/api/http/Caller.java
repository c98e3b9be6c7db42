package dev.longhaul.api.http;

import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request.
 *
 * @param keyId the id of its API key; null for local callers while no key exists
 */
public record Caller(String name, Rights rights, @Nullable UUID keyId) {
    /** A caller on this machine while no API key exists. */
    public static final Caller LOCAL = new Caller("local", Rights.of(Role.ADMIN), null);

    /** The caller of a route that requires no key. */
    public static final Caller ANYBODY = new Caller("anybody", Rights.of(Role.VIEWER), null);

    public static Caller of(ApiKey key) {
        return new Caller(key.name(), key.rights(), key.id());
    }

    public Role role() {
        return rights.role();
    }

    /** Returns the caller as the audit trail names it. */
    public Actor actor() {
        return new Actor(name, keyId);
    }

    public boolean may(Role needed) {
        return role().covers(needed);
    }

    /** Fails unless the caller has the role {@code needed}. */
    public void require(Role needed, Object what) {
        if (!may(needed)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "You need the " + needed.text() + " role for " + what + "; this key's role is " + role().text());
        }
    }

    /** Fails unless the caller may access jobs of the queue. */
    public void requireQueue(String queue) {
        if (!rights.reaches(queue)) {
            throw otherQueues("jobs of the queue " + Problem.brief(queue));
        }
    }

    /** Fails if the caller's key is restricted to some queues. */
    public void requireEveryQueue(String what) {
        if (rights.bound()) {
            throw otherQueues(what);
        }
    }

    private LonghaulException otherQueues(String what) {
        return new LonghaulException(
                ErrorCode.PERMISSION_DENIED,
                what + ": this key is restricted to the queues " + String.join(", ", rights.queues()));
    }
}
