package dev.longhaul.server.http;

import com.linecorp.armeria.common.HttpMethod;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who sent a request.
 *
 * @param keyId the key it came with; null for whoever is on this machine while there are no keys
 */
public record Caller(String name, Rights rights, @Nullable UUID keyId) {
    /** Whoever is on this machine, while no key exists. */
    public static final Caller LOCAL = new Caller("local", Rights.of(Role.ADMIN), null);

    /** Somebody who need not say who they are. */
    public static final Caller ANYBODY = new Caller("anybody", Rights.of(Role.VIEWER), null);

    public static Caller of(ApiKey key) {
        return new Caller(key.name(), key.rights(), key.id());
    }

    public Role role() {
        return rights.role();
    }

    /** The caller as the audit trail names it. */
    public Actor actor() {
        return new Actor(name, keyId);
    }

    public boolean may(Role needed) {
        return role().covers(needed);
    }

    /** Fails unless the caller may do what only {@code needed} may. */
    public void require(Role needed, Object what) {
        if (!may(needed)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    what + " needs the role " + needed.text() + "; this key's is " + role().text());
        }
    }

    /** Fails unless the caller may work on jobs of that queue. */
    public void requireQueue(String queue) {
        if (!rights.reaches(queue)) {
            throw otherQueues("jobs of the queue " + Problem.brief(queue));
        }
    }

    /** Fails if the caller may work on jobs of some queues only. */
    public void requireEveryQueue(String what) {
        if (rights.bound()) {
            throw otherQueues(what);
        }
    }

    private LonghaulException otherQueues(String what) {
        return new LonghaulException(
                ErrorCode.PERMISSION_DENIED,
                what + ": this key is for work on " + String.join(", ", rights.queues()) + " only");
    }

    /** Whether a request of that kind changes nothing. */
    public static boolean reads(HttpMethod method) {
        return method == HttpMethod.GET || method == HttpMethod.HEAD;
    }
}
