package dev.longhaul.api.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.server.Server;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.Registry;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.server.Api;
import dev.longhaul.server.Counting;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.SseClient;
import dev.longhaul.server.SseClient.Event;
import dev.longhaul.server.http.ArmeriaResponse;
import dev.longhaul.usecase.Jobs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Data that a client does not read must not accumulate in the server. */
@Tag("full")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // Each test has its own server, and mostly waits.
@Order(1) // Long: starts first, so that other tests run in parallel.
class SlowReaderTest {
    private static final String BLOB = "x".repeat(200_000);
    private static final int BLOBS = 100;
    private static final int HINTS = 100_000;

    record Nothing() {}

    /** Requests a stream over a connection with small buffers, and reads nothing. */
    private static Socket ask(int port, String path) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                                + "\r\nAccept: text/event-stream\r\n\r\n")
                        .getBytes(US_ASCII));
        return socket;
    }

    /** Reads until the connection ends or fails; returns the number of bytes. */
    private static long drain(Socket socket) {
        long bytes = 0;
        byte[] buffer = new byte[65536];
        try (InputStream in = socket.getInputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes += read;
            }
        } catch (IOException e) {
            // A reset also ends the connection.
        }
        return bytes;
    }

    @Test
    void is_disconnected_and_can_resume_later() throws Exception {
        var blobs = JobDefinition.of("test.blobs", Nothing.class, Nothing.class).handler((nothing, context) -> {
            for (int i = 0; i < BLOBS; i++) {
                context.emit("blob", BLOB);
            }
            return nothing;
        });
        try (var longhaul = Longhaul.builder().memory().register(blobs).start();
                var server = LonghaulServer.start(longhaul, Doors.AT_ONCE)) {
            JobId id = longhaul.later(blobs, new Nothing());
            new Api(server.port()).get("/v1/jobs/" + id + "?waitSeconds=50");
            String path = "/v1/jobs/" + id + "/events";
            try (Socket socket = ask(server.port(), path)) {
                Counting.await("its stream is open", () -> server.live().streams() == 1);
                Counting.await("its stream is gone", () -> server.live().streams() == 0);
                assertThat(drain(socket)).isLessThan((long) BLOBS * BLOB.length());
            }
            try (SseClient client = SseClient.open(server.port(), path + "?types=custom")) {
                List<Event> events = client.rest();
                assertThat(events).hasSize(BLOBS + 1);
                assertThat(events.get(BLOBS).type()).isEqualTo("end");
            }
        }
    }

    @Test
    void gets_a_reset_after_missed_changes() throws Exception {
        var made = new CompletableFuture<ChangeStream>();
        var store = new MemoryStore();
        Job job = store.jobs()
                .insert(List.of(
                        JobSpec.of(new DefinitionRef("test.any", 1), "{}").build()))
                .get(0)
                .job();
        try (Server server = Server.builder()
                .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .service("/", (context, request) -> {
                    var json = new JobJson(new Jobs(new Registry(), store), null);
                    var response = new Response.Events(client -> {
                        var sse = new SseWriter(client, json, JobJson.View.PUBLIC);
                        sse.open(() -> made.join().hasRoom(), () -> {});
                        made.complete(new ChangeStream(sse, new ChangeStream.Filter(null, null, Set.of())));
                    });
                    return ArmeriaResponse.of(context, "/", response);
                })
                .build()) {
            server.start().join();
            try (Socket socket = ask(server.activeLocalPort(), "/")) {
                ChangeStream hints = made.get();
                for (int i = 0; i < HINTS; i++) {
                    hints.offer(job);
                    hints.flush();
                }
                var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
                int received = 0;
                for (String line = lines.readLine(); !line.equals("event: reset"); line = lines.readLine()) {
                    received += line.equals("event: job") ? 1 : 0;
                }
                assertThat(received).isBetween(1, HINTS - 1);
            }
        }
    }

    @Test
    void makes_the_server_hold_no_more_than_a_bound() throws Exception {
        var made = new CompletableFuture<SseWriter>();
        var room = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        try (Server server = Server.builder()
                .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .service("/", (context, request) -> {
                    var json = new JobJson(new Jobs(new Registry(), new MemoryStore()), null);
                    var response = new Response.Events(client -> {
                        var sse = new SseWriter(client, json, JobJson.View.PUBLIC);
                        sse.open(room::countDown, gone::countDown);
                        made.complete(sse);
                    });
                    return ArmeriaResponse.of(context, "/", response);
                })
                .build()) {
            server.start().join();
            try (Socket socket = ask(server.activeLocalPort(), "/")) {
                SseWriter sse = made.get();
                long accepted = 0;
                int most = 0;
                while (sse.offer(1, "blob", "x".repeat(1000))) {
                    accepted += 1000;
                }
                // Reads until the buffer has room again, and nothing after that.
                long read = 0;
                while (room.getCount() > 0) {
                    if (socket.getInputStream().available() > 0) {
                        read += socket.getInputStream().read(new byte[65536]);
                    }
                }
                while (gone.getCount() > 0) {
                    while (sse.offer(1, "blob", "x".repeat(1000))) {
                        accepted += 1000;
                    }
                    sse.flush();
                    most = Math.max(most, sse.queuedBytes());
                    gone.await(1, TimeUnit.MILLISECONDS);
                }
                assertThat(most).isBetween(SseWriter.MOST_BYTES / 2, SseWriter.MOST_BYTES);
                assertThat(accepted - read - drain(socket)).isGreaterThanOrEqualTo(0);
                assertThat(sse.isOpen()).isFalse();
            }
        }
    }
}
