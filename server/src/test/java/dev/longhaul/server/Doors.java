package dev.longhaul.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.json.Secret;
import dev.longhaul.server.access.Keys;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server with a few definitions, in memory by default, and a client of it. */
public final class Doors implements AfterEachCallback, AutoCloseable {
    /** Does not wait for open requests: at the end of a test none matter. */
    public static final ServerConfig AT_ONCE = ServerConfig.LOCAL.withDrain(Duration.ZERO);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    record Greeting(String name, long number) {}

    record Login(String user, @Secret String password) {}

    final CountDownLatch goOn = new CountDownLatch(1);
    private final Longhaul longhaul;
    private final LonghaulServer server;
    public final Api api;

    public Doors() {
        this(Longhaul.builder().memory());
    }

    /** The same on another store. */
    Doors(LonghaulBuilder on) {
        longhaul = on.register(
                        JobDefinition.of("test.echo", Greeting.class, Greeting.class)
                                .handler((greeting, run) -> greeting),
                        JobDefinition.of("test.login", Login.class, Login.class).handler((login, run) -> login),
                        JobDefinition.of("test.fail", Map.class, Void.class)
                                .maxAttempts(1)
                                .handler((params, run) -> {
                                    throw new IllegalStateException("no luck");
                                }),
                        JobDefinition.of("test.wait", Map.class, Void.class).handler((params, run) -> {
                            run.log().info("waiting");
                            run.progress(40, "half way");
                            goOn.await();
                            return null;
                        }))
                .start();
        server = LonghaulServer.start(longhaul, AT_ONCE);
        api = new Api(server.port());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        goOn.countDown();
        server.close();
        longhaul.close();
    }

    Longhaul longhaul() {
        return longhaul;
    }

    /** Creates a key and returns its secret. From then on every request needs a key. */
    String key(String name, Role role) {
        return key(name, Rights.of(role));
    }

    String key(String name, Rights rights) {
        return Keys.create(longhaul.store().access(), name, rights, "test").secret();
    }

    LonghaulServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    /** Submits a job of a definition, with further fields of the body, and returns its id. */
    String start(String key, String more) {
        var reply = api.post("/v1/jobs", "{\"definitionKey\":\"" + key + "\"" + more + "}");
        if (reply.status() != 202) {
            throw new AssertionError(reply.body());
        }
        return reply.json().get("jobId").asText();
    }

    /** Waits until the job has the status, and returns it. */
    JsonNode await(String id, String status) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            JsonNode job = api.get("/v1/jobs/" + id + "?view=full").json();
            if (job.get("status").asText().equals(status)) {
                return job;
            }
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("expected " + status + ": " + job);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
