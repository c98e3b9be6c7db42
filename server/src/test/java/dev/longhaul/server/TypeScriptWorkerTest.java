package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.JobId;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the worker of the examples like a user. */
class TypeScriptWorkerTest {
    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void publishes_output_and_continues_after_a_result_that_is_too_large() throws Exception {
        NodeProject node = NodeProject.of("examples/typescript-worker");
        Process worker = null;
        try (var rpc = new Rpc(doors.port())) {
            String large = rpc.enqueue("far", "{\"bytes\":300000}");
            String small = rpc.enqueue("far", "{\"millis\":10}");
            worker = node.start(Map.of(), "node", "dist/worker.js", "http://127.0.0.1:" + doors.port(), "far", "1");

            JsonNode failed = doors.await(large, "failed");
            assertThat(failed.get("error").get("code").asText()).isEqualTo("result_too_large");
            doors.await(small, "succeeded");
            assertThat(doors.longhaul().store().jobs().events(EventQuery.of(JobId.parse(small))))
                    .filteredOn(event -> event.type() == EventType.OUTPUT)
                    .singleElement()
                    .satisfies(event -> assertThat(event.payload()).contains("working for 10 ms"));
        } finally {
            if (worker != null) {
                worker.destroyForcibly().waitFor();
            }
        }
    }
}
