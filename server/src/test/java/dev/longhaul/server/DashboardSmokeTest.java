package dev.longhaul.server;

import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.RunUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A short test of the dashboard in every build; the other browser tests run with {@code -Pfull}. */
class DashboardSmokeTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void shows_a_job_in_the_list_and_its_result_on_its_page() {
        String id = doors.start("test.echo", ",\"name\":\"Greet Ada\",\"params\":{\"name\":\"Ada\",\"number\":7}");
        doors.await(id, "succeeded");
        try (Browser browser = Browser.on(doors.port())) {
            browser.go("jobs").sees("Greet Ada").sees("succeeded");
            browser.go("jobs/" + id).click("Params and result").sees("\"number\": 7");
            browser.assertNoErrors();
        }
    }

    /** A worker with pods reports their waiting, start and restarts like this. */
    @Test
    void shows_the_pod_of_a_job() {
        String id = doors.start("task", "");
        WorkSource work = doors.longhaul().store().work();
        var request = ClaimRequest.of(
                "pod-worker", List.of(JobSpec.DEFAULT_QUEUE), Set.of(DefinitionRef.parse("task@1")), 1, LEASE);
        Claim claim = work.claim(request).get(0).claim();
        try (Browser browser = Browser.on(doors.port())) {
            report(work, claim, 1, EventType.CUSTOM, """
                    {"name":"pod","data":{"reason":"ImagePullBackOff","message":"Back-off pulling image"}}""");
            browser.go("jobs/" + id).sees("ImagePullBackOff: Back-off pulling image");
            report(work, claim, 2, EventType.PROCESS_START, """
                    {"pod":"lh-pod-1","namespace":"batch","node":"node-7","image":"registry.example.org/report:3"}""");
            browser.sees("batch/lh-pod-1").sees("node-7").sees("registry.example.org/report:3");
            report(work, claim, 3, EventType.CUSTOM, """
                    {"name":"pod","data":{"reason":"Restarted","message":"containers of the pod restarted","restarts":4}}""");
            browser.sees("Restarts 4");
            browser.assertNoErrors();
        }
    }

    private static void report(WorkSource work, Claim claim, int sequence, EventType type, String payload) {
        work.save(List.of(RunUpdate.events(claim, List.of(new NewEvent(sequence, type, Instant.now(), payload)))));
    }
}
