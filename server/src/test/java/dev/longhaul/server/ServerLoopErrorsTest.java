package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.server.webhook.WebhookConfig;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.FaultVolume;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Errors in the vital loops of a server: /readyz names the failing loop, and nothing is lost afterwards. */
@Tag("faults")
@Tag("full")
@Isolated("checks the health of the whole process")
@Timeout(120)
class ServerLoopErrorsTest {
    private static final int TIMES = FaultVolume.of(2, 10);

    private final CountDownLatch gate = new CountDownLatch(1);
    private final MemoryStore memory = new MemoryStore();
    private volatile String failing = "";
    private final Longhaul longhaul = Longhaul.builder()
            .store(failingStore())
            .register(
                    JobDefinition.of("test.echo", Map.class, Map.class).handler((params, run) -> params),
                    JobDefinition.of("test.held", Map.class, Map.class).handler((params, run) -> {
                        gate.await();
                        return params;
                    }))
            .start();
    private final LonghaulServer server = LonghaulServer.start(
            longhaul, Doors.AT_ONCE.withWebhooks(WebhookConfig.USUAL.withNetworks(List.of("127.0.0.0/8"))));
    private final Api api = new Api(server.port());

    /** A store whose calls throw an Error on the thread that should fail. */
    private Store failingStore() {
        return InterceptedStore.of(memory, (method, arguments, call) -> {
            if (Thread.currentThread().getName().equals("longhaul-" + failing)) {
                throw new NoClassDefFoundError("planted in " + method.getName());
            }
            return call.goOn();
        });
    }

    @AfterEach
    void close() {
        failing = "";
        gate.countDown();
        server.close();
        longhaul.close();
        memory.close();
    }

    private void awaitNotReady(String loop) {
        await(() -> {
            var reply = api.get("/readyz");
            return reply.status() == 503 && reply.body().contains(loop + ": failing");
        });
    }

    private void awaitReady() {
        await(() -> api.get("/readyz").status() == 200);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void waiting_workers_get_their_jobs_once_the_loop_that_claims_for_them_runs_again() throws Exception {
        try (var rpc = new Rpc(server.port())) {
            for (int i = 0; i < TIMES; i++) {
                failing = "dequeues";
                var waiting = CompletableFuture.supplyAsync(() -> rpc.dequeue("remote", 1, Duration.ofSeconds(20)));
                awaitNotReady("dequeues");
                String id = rpc.enqueue("remote", "{}");
                failing = "";
                assertThat(waiting.get(60, TimeUnit.SECONDS))
                        .extracting(DequeueJobResponse::getJobId)
                        .containsExactly(id);
                awaitReady();
            }
        }
    }

    @Test
    void webhooks_are_sent_once_the_loop_that_sends_them_runs_again() throws Exception {
        var received = new LinkedBlockingQueue<String>();
        HttpServer receiver = receiver(received);
        try {
            String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/";
            assertThat(api.post("/v1/webhooks", "{\"url\":\"" + url + "\",\"events\":[\"job.succeeded\"]}")
                            .status())
                    .isEqualTo(201);
            for (int i = 0; i < TIMES; i++) {
                failing = "webhooks";
                String id = start("test.echo");
                awaitNotReady("webhooks");
                failing = "";
                assertThat(received.poll(60, TimeUnit.SECONDS)).contains(id);
                awaitReady();
            }
        } finally {
            receiver.stop(0);
        }
    }

    private static HttpServer receiver(LinkedBlockingQueue<String> received) throws IOException {
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            try (exchange) {
                received.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                exchange.sendResponseHeaders(204, -1);
            }
        });
        receiver.start();
        return receiver;
    }

    /** A failing stream must not make the server unready: failures are counted, and the poll is retried. */
    @Test
    void streams_continue_and_their_failures_are_counted() throws Exception {
        String id = start("test.held");
        try (var stream = SseClient.open(server.port(), "/v1/jobs/" + id + "/events")) {
            for (int i = 0; i < TIMES; i++) {
                long before = Loops.failures("live");
                failing = "live";
                await(() -> Loops.failures("live") > before);
                failing = "";
            }
            gate.countDown();
            SseClient.Event event = stream.next();
            while (event != null && !event.type().equals("succeeded")) {
                event = stream.next();
            }
            assertThat(event).as("the end of the job").isNotNull();
        }
        assertThat(api.get("/metrics").body()).contains("longhaul_loop_failures_total{loop=\"live\"}");
    }

    private String start(String key) {
        var reply = api.post("/v1/jobs", "{\"definitionKey\":\"" + key + "\",\"params\":{}}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        return reply.json().get("jobId").asText();
    }
}
