package dev.longhaul.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.demo.DemoJobs;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.server.webhook.WebhookConfig;
import dev.longhaul.testing.TestPostgres;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A server with dashboard and its own database, and a worker that runs the demo jobs. */
final class Site implements AutoCloseable {
    private static final int CONNECTIONS = 12;

    final HikariDataSource pool;
    final Longhaul longhaul;
    LonghaulServer server;
    final Api api;

    Site(JobDefinition<?, ?>... more) {
        this(TestPostgres.get(), more);
    }

    Site(TestPostgres postgres, JobDefinition<?, ?>... more) {
        this.pool = TestPostgres.pool(postgres.newDatabase(PostgresStore::migrate), CONNECTIONS);
        List<JobDefinition<?, ?>> definitions = new ArrayList<>(new DemoJobs().definitions());
        definitions.addAll(List.of(more));
        this.longhaul = Longhaul.builder()
                .postgres(pool)
                .register(definitions.toArray(JobDefinition<?, ?>[]::new))
                .slots(4)
                .start();
        this.server = serverOn(0);
        this.api = new Api(server.port());
    }

    private LonghaulServer serverOn(int port) {
        var webhooks = WebhookConfig.USUAL.withNetworks(List.of("127.0.0.0/8"));
        return LonghaulServer.start(longhaul, Doors.AT_ONCE.withPort(port).withWebhooks(webhooks));
    }

    /** Runs an action while the server is stopped, then starts it again on the same port. */
    void whileStopped(Runnable action) {
        int port = server.port();
        server.close();
        action.run();
        server = serverOn(port);
    }

    /** Starts a job and returns its id. */
    String start(String body) {
        var reply = api.post("/v1/jobs", body);
        if (reply.status() != 202) {
            throw new AssertionError(reply.body());
        }
        return reply.json().get("jobId").asText();
    }

    /** Creates held jobs and returns the id of the last one. */
    String hold(String queue, int jobs) {
        String one = "{\"definitionKey\":\"demo.echo\",\"queue\":\"" + queue + "\",\"hold\":true}";
        var reply = api.post("/v1/jobs/batch", "{\"jobs\":[" + String.join(",", Collections.nCopies(jobs, one)) + "]}");
        if (reply.status() != 202) {
            throw new AssertionError(reply.body());
        }
        return reply.json().findValuesAsText("jobId").get(jobs - 1);
    }

    @Override
    public void close() {
        server.close();
        longhaul.close();
        pool.close();
    }
}
