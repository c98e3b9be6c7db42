package dev.longhaul.examples;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.RemoteWorker;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import io.grpc.Channel;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A worker and a monitor without a database: both need only the address of a server. */
public final class RemoteWork {
    record Hello(String name) {}

    record Greeting(String text) {}

    // region remote-worker
    static final JobDefinition<Hello, Greeting> HELLO = JobDefinition.of("remote.hello", Hello.class, Greeting.class)
            .queue("remote")
            .handler((params, context) -> {
                context.log().info("greeting {}", params.name());
                return new Greeting("Hello, " + params.name() + "!");
            });

    /** Runs the server's jobs in this process, with leases, steps, progress and cancellation as in the library. */
    static RemoteWorker work(LonghaulClient client) {
        return RemoteWorker.start(
                client, WorkerConfig.DEFAULT.withQueues(Map.of("remote", WorkerConfig.ANY)), List.of(HELLO));
    }
    // endregion

    // region remote-monitor
    /** Submits a job, passes on its events as they happen, and returns the job once it has ended. */
    static Job watch(LonghaulClient client, String name, Consumer<String> out) throws InterruptedException {
        JobId id = client.enqueue(HELLO, new Hello(name), JobOptions.options());
        var events = StreamJobEventsRequest.newBuilder().setJobId(id.toString()).build();
        client.events(events, event -> out.accept(event.getType() + " " + event.getPayload()));
        return client.await(id, Duration.ofMinutes(1));
    }
    // endregion

    // region grpc-java
    /** Uses only the generated stubs: waits for a job of the queue, and completes it. */
    static void takeOne(Channel channel, String queue) {
        var jobs = JobServiceGrpc.newBlockingStub(channel);
        jobs.dequeueJob(DequeueJobRequest.newBuilder().setQueue(queue).build())
                .forEachRemaining((DequeueJobResponse task) -> jobs.completeJob(CompleteJobRequest.newBuilder()
                        .setTaskToken(task.getTaskToken())
                        .setJobId(task.getJobId())
                        .setSucceeded(CompleteJobRequest.Succeeded.newBuilder().setResult(task.getParams()))
                        .build()));
    }
    // endregion

    private RemoteWork() {}

    /** {@code RemoteWork worker http://127.0.0.1:8080} or {@code RemoteWork monitor http://127.0.0.1:8080 Ann}. */
    public static void main(String[] args) throws InterruptedException {
        String key = System.getenv("LONGHAUL_KEY");
        try (var client = LonghaulClient.connect(URI.create(args[1]), key)) {
            if (args[0].equals("monitor")) {
                System.out.println(watch(client, args[2], System.out::println));
                return;
            }
            RemoteWorker worker = work(client);
            Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
            new CountDownLatch(1).await();
        }
    }
}
