package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.RequestHeaders;
import dev.longhaul.access.Role;
import dev.longhaul.server.rpc.RpcAccess;
import io.grpc.Status;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls are accepted or rejected by their headers: none of these requests sends its whole body. */
@Tag("full")
class RpcAdmissionTest {
    private static final String ENQUEUE = "/longhaul.v1.JobService/EnqueueJob";
    private static final String PUBLISH = "/longhaul.v1.JobEventsService/PublishJobEvents";
    private static final String DEQUEUE = "/longhaul.v1.JobService/DequeueJob";
    private static final int LARGEST = 4 << 20;

    @RegisterExtension
    final Doors doors = new Doors();

    private String viewer = "";

    @BeforeEach
    void requireKeys() {
        viewer = doors.key("viewer", Role.VIEWER);
    }

    @ParameterizedTest
    @CsvSource({
        "h2c, application/grpc",
        "h2c, application/grpc+json",
        "h1c, application/grpc",
        "h1c, application/grpc-web+proto",
        "h2c, application/grpc-web+proto",
        "h1c, application/grpc-web-text+proto"
    })
    void grpc_calls_are_rejected_before_their_body_is_sent(String protocol, String type) {
        for (String path : List.of(ENQUEUE, DEQUEUE, PUBLISH)) {
            assertThat(grpcStatus(half(protocol, path, type, null))).isEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(grpcStatus(half(protocol, path, type, "lh_wrong"))).isEqualTo(Status.Code.UNAUTHENTICATED);
            AggregatedHttpResponse denied = half(protocol, path, type, viewer);
            assertThat(grpcStatus(denied)).isEqualTo(Status.Code.PERMISSION_DENIED);
            assertThat(denied.headers().get("grpc-message")).contains(path.substring(1));
            assertThat(denied.headers().get("content-type")).isEqualTo(type);
            assertThat(denied.headers().contains("grpc-status-details-bin")).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "h1c, application/json",
        "h2c, application/json",
        "h1c, application/proto",
        "h2c, text/plain",
    })
    void single_connect_calls_are_rejected_before_their_body_is_sent(String protocol, String type) throws Exception {
        for (String key : new String[] {null, "lh_wrong"}) {
            AggregatedHttpResponse refused = half(protocol, ENQUEUE, type, key);
            assertThat(refused.status().code()).isEqualTo(401);
            assertThat(refused.headers().get("www-authenticate")).isEqualTo("Bearer");
            var json = Api.JSON.readTree(refused.contentUtf8());
            assertThat(json.get("code").asText()).isEqualTo("unauthenticated");
            assertThat(json.at("/details/0/type").asText()).isEqualTo("google.rpc.ErrorInfo");
        }
        AggregatedHttpResponse denied = half(protocol, ENQUEUE, type, viewer);
        assertThat(denied.status().code()).isEqualTo(403);
        assertThat(denied.contentUtf8()).contains("permission_denied");
    }

    @ParameterizedTest
    @CsvSource({"h1c, application/connect+json", "h2c, application/connect+proto"})
    void connect_streams_are_rejected_before_their_body_is_sent(String protocol, String type) {
        for (String path : List.of(DEQUEUE, PUBLISH)) {
            AggregatedHttpResponse refused = half(protocol, path, type, null);
            assertThat(refused.status().code()).isEqualTo(200);
            assertThat(refused.headers().get("content-type")).isEqualTo(type);
            byte[] framed = refused.content().array();
            assertThat(framed[0]).as("the flag of the end of a stream").isEqualTo((byte) 2);
            assertThat(new String(framed, 5, framed.length - 5, StandardCharsets.UTF_8))
                    .startsWith("{\"error\":{\"code\":\"unauthenticated\"");
        }
    }

    @ParameterizedTest
    @CsvSource({"application/json", "application/grpc-web+proto", "application/grpc"})
    @Tag("full")
    void a_hundred_connections_with_4_mib_each_are_answered_on_their_headers(String type) throws Exception {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 100; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), doors.port());
                socket.setSoTimeout(20_000);
                sockets.add(socket);
                socket.getOutputStream()
                        .write(("POST " + ENQUEUE + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " + type
                                        + "\r\nContent-Length: " + LARGEST + "\r\n\r\n")
                                .getBytes(StandardCharsets.UTF_8));
                socket.getOutputStream().write(new byte[64 * 1024]);
            }
            for (Socket socket : sockets) {
                String head = head(socket);
                assertThat(head)
                        .contains(type.equals("application/json") ? "HTTP/1.1 401 Unauthorized" : "grpc-status: 16");
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void what_is_open_to_all_takes_small_messages_only() {
        var request = HttpRequest.of(
                headers("/grpc.health.v1.Health/Check", "application/grpc-web+proto", null),
                HttpData.wrap(new byte[RpcAccess.OPEN_REQUEST + 1]));
        AggregatedHttpResponse reply =
                client("h1c").execute(request).aggregate().join();

        assertThat(grpcStatus(reply)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(reply.headers().get("grpc-message")).contains("at most " + RpcAccess.OPEN_REQUEST + " bytes");
    }

    /** The response to the headers of a call and a part of its body; the rest is never sent. */
    private AggregatedHttpResponse half(String protocol, String path, String type, @Nullable String key) {
        var request = HttpRequest.streaming(headers(path, type, key));
        CompletableFuture<AggregatedHttpResponse> reply =
                client(protocol).execute(request).aggregate();
        var unused = request.tryWrite(HttpData.ofUtf8("{"));
        return reply.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private WebClient client(String protocol) {
        return WebClient.of(protocol + "://127.0.0.1:" + doors.port());
    }

    private static RequestHeaders headers(String path, String type, @Nullable String key) {
        var headers = RequestHeaders.builder(HttpMethod.POST, path)
                .set("content-type", type)
                .set("te", "trailers");
        if (key != null) {
            headers.set("authorization", "Bearer " + key);
        }
        return headers.build();
    }

    private static Status.Code grpcStatus(AggregatedHttpResponse response) {
        assertThat(response.status().code()).isEqualTo(200);
        String status = response.headers().get("grpc-status");
        return Status.fromCodeValue(Integer.parseInt(Objects.requireNonNull(status)))
                .getCode();
    }

    private static String head(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        var head = new StringBuilder();
        for (int next = in.read(); next >= 0 && head.indexOf("\r\n\r\n") < 0; next = in.read()) {
            head.append((char) next);
        }
        return head.toString();
    }
}
