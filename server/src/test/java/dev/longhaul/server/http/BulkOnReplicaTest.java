package dev.longhaul.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.JobQuery;
import dev.longhaul.Registry;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.rest.BulkRoutes;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.usecase.Jobs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bulk commands find jobs that the read replica has not received yet. */
class BulkOnReplicaTest {
    @Test
    void cancels_jobs_that_the_replica_does_not_have() throws Exception {
        TestPostgres server = TestPostgres.get();
        try (var primary = TestPostgres.pool(server.newDatabase(PostgresStore::migrate), 8);
                var behind = TestPostgres.pool(server.newDatabase(PostgresStore::migrate), 8);
                var store = PostgresStore.open(primary, true, behind)) {
            cancels(store);
        }
    }

    private static void cancels(PostgresStore store) throws Exception {
        JobSpec spec = JobSpec.of(new DefinitionRef("a", 1), "{}").build();
        JobId id = store.jobs().insert(List.of(spec)).get(0).job().id();
        assertThat(store.jobs().list(JobQuery.ALL).jobs())
                .as("the replica is behind")
                .isEmpty();
        AggregatedHttpRequest request = AggregatedHttpRequest.of(
                HttpMethod.POST, "/v1/jobs/cancel", MediaType.JSON, "{\"definitionKey\":\"a\"}");
        var call =
                new Call(new ArmeriaRequest(ServiceRequestContext.of(request.toHttpRequest()), request), Caller.LOCAL);
        Route cancel =
                new BulkRoutes(store, new Jobs(new Registry(), store)).routes().get(0);

        Response.Complete response = (Response.Complete) cancel.handler().handle(call);
        String reply = new String(response.body(), UTF_8);
        assertThat(reply).contains("\"count\":1");
        assertThat(store.jobs().find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
    }
}
