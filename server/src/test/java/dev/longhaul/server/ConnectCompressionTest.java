package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Responses to a Connect client that accepts gzip, read byte by byte. */
class ConnectCompressionTest {
    private static final String LONG = "y".repeat(5000);

    @RegisterExtension
    final Doors doors = new Doors();

    private record Frame(int flags, int length, String text) {
        static Frame of(int flags, byte[] bytes) throws Exception {
            if ((flags & 1) == 0) {
                return new Frame(flags, bytes.length, new String(bytes, StandardCharsets.UTF_8));
            }
            try (var zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                return new Frame(flags, bytes.length, new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    private HttpResponse<byte[]> dequeue(String... headers) throws Exception {
        byte[] message = "{\"queue\":\"far\",\"maxJobs\":2,\"wait\":\"5s\"}".getBytes(StandardCharsets.UTF_8);
        var body = ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message);
        var request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + doors.port() + "/longhaul.v1.JobService/DequeueJob"))
                .headers("Content-Type", "application/connect+json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.array()));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static List<Frame> frames(byte[] body) throws Exception {
        var frames = new ArrayList<Frame>();
        for (var left = ByteBuffer.wrap(body); left.hasRemaining(); ) {
            int flags = left.get();
            byte[] bytes = new byte[left.getInt()];
            left.get(bytes);
            frames.add(Frame.of(flags, bytes));
        }
        return frames;
    }

    private void enqueueTwo() {
        try (var rpc = new Rpc(doors.port())) {
            rpc.enqueue("far", "\"" + LONG + "\"");
            rpc.enqueue("far", "\"short\"");
        }
    }

    @Test
    void long_messages_of_streams_are_compressed_and_short_ones_are_not() throws Exception {
        enqueueTwo();
        var response = dequeue("Connect-Accept-Encoding", "gzip");
        List<Frame> frames = frames(response.body());

        assertThat(response.headers().firstValue("connect-content-encoding")).hasValue("gzip");
        assertThat(frames).extracting(Frame::flags).containsExactly(1, 0, 2);
        assertThat(frames.get(0).length()).isLessThan(2000);
        assertThat(frames.get(0).text()).contains(LONG);
        assertThat(frames.get(1).text()).contains("short");
        assertThat(frames.get(2).text()).isEqualTo("{}");
    }

    @Test
    void nothing_is_compressed_for_clients_that_do_not_accept_it() throws Exception {
        enqueueTwo();
        var response = dequeue();

        assertThat(response.headers().firstValue("connect-content-encoding")).isEmpty();
        assertThat(frames(response.body())).extracting(Frame::flags).containsExactly(0, 0, 2);
    }
}
