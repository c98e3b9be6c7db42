package dev.longhaul.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.Registry;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.rest.BulkRoutes;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.server.http.ArmeriaRequest;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BulkRoutesTest {
    private final MemoryStore store = new MemoryStore();

    /** A store that is unavailable at the nth cancel. */
    private Store unavailableAt(int nth) {
        var cancelled = new AtomicInteger();
        return InterceptedStore.of(store, (method, arguments, call) -> {
            if (method.getName().equals("execute") && cancelled.incrementAndGet() == nth) {
                throw new LonghaulException(ErrorCode.UNAVAILABLE, "the database is unavailable");
            }
            return call.goOn();
        });
    }

    @Test
    void completed_changes_are_audited_even_when_later_ones_fail() {
        for (int i = 0; i < 3; i++) {
            JobSpec spec = JobSpec.of(new DefinitionRef("a", 1), "{}").build();
            store.jobs().insert(List.of(spec));
        }
        AggregatedHttpRequest request = AggregatedHttpRequest.of(
                HttpMethod.POST, "/v1/jobs/cancel", MediaType.JSON, "{\"definitionKey\":\"a\"}");
        var call =
                new Call(new ArmeriaRequest(ServiceRequestContext.of(request.toHttpRequest()), request), Caller.LOCAL);
        Store unavailable = unavailableAt(3);
        Route cancel = new BulkRoutes(unavailable, new Jobs(new Registry(), unavailable))
                .routes()
                .get(0);

        assertThatThrownBy(() -> cancel.handler().handle(call)).hasMessage("the database is unavailable");
        assertThat(store.access().audit(null, 10)).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("jobs.cancel");
            assertThat(entry.subject()).isEqualTo("2 jobs");
            assertThat(entry.detail()).contains("\"brokenOff\":\"unavailable\"");
        });
    }
}
