package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.longhaul.access.Role;
import dev.longhaul.client.WireTime;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.OutputStream;
import dev.longhaul.rpc.v1.Progress;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the monitor of the examples like a user. */
@Tag("full")
class TypeScriptMonitorTest {
    @RegisterExtension
    final Doors doors = new Doors();

    private static void publish(Rpc rpc, DequeueJobResponse task) throws Exception {
        var time = WireTime.of(Instant.now());
        var stored = new CompletableFuture<Integer>();
        StreamObserver<PublishJobEventsRequest> batches = rpc.publish(stored);
        var batch = PublishJobEventsRequest.newBuilder().setTaskToken(task.getTaskToken());
        batch.addEventsBuilder()
                .setSequence(1)
                .setType(EventType.EVENT_TYPE_OUTPUT)
                .setTime(time)
                .addOutputsBuilder()
                .setStream(OutputStream.OUTPUT_STREAM_STDOUT)
                .setData(ByteString.copyFromUtf8("hi\n"));
        batch.addEventsBuilder()
                .setSequence(2)
                .setType(EventType.EVENT_TYPE_PROCESS_END)
                .setTime(time)
                .setPayload("{\"exitCode\":3}");
        batches.onNext(batch.build());
        batches.onCompleted();
        stored.get(20, TimeUnit.SECONDS);
    }

    @Test
    void prints_what_happens_to_a_job_until_it_has_ended() throws Exception {
        NodeProject node = NodeProject.of("examples/typescript-monitor");
        String key = doors.key("boss", Role.ADMIN);
        Process monitor = null;
        try (var rpc = new Rpc(doors.port(), key);
                var wire = new Wire(doors.port())) {
            String id = rpc.enqueue("far", "{}");
            monitor = node.start(
                    Map.of("LONGHAUL_KEY", key), "node", "dist/monitor.js", "http://127.0.0.1:" + wire.port(), id);
            BufferedReader lines = monitor.inputReader();
            // Before a worker has the job: events after this line are live.
            assertThat(lines.readLine()).endsWith("1 run 0 CREATED ");
            DequeueJobResponse task = rpc.dequeueOne("far");
            rpc.jobs.updateJob(UpdateJobRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .setQueue("far")
                    .setProgress(Progress.newBuilder().setPercent(50))
                    .build());
            assertThat(lines.readLine()).endsWith("2 run 1 STARTED ");
            assertThat(lines.readLine()).contains("3 run 1 PROGRESS {").contains("50");
            publish(rpc, task);
            assertThat(lines.readLine()).contains("4 run 1 OUTPUT stdout 3 bytes: \"hi\\n\"");
            assertThat(lines.readLine()).contains("5 run 1 PROCESS_END exit code 3");
            // It resumes after its last event, as it would after its server was killed.
            wire.cut();
            rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .setJobId(id)
                    .setSucceeded(CompleteJobRequest.Succeeded.newBuilder().setResult("{\"n\":1}"))
                    .build());

            assertThat(lines.readLine()).contains("6 run 1 SUCCEEDED");
            assertThat(lines.readLine()).isEqualTo(id + ": SUCCEEDED {\"n\":1}");
            assertThat(monitor.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(monitor.exitValue()).isZero();
        } finally {
            if (monitor != null) {
                monitor.destroyForcibly().waitFor();
            }
        }
    }
}
