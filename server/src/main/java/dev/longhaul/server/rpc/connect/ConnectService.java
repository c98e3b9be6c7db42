package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.ExchangeType;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.RoutingContext;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.grpc.GrpcService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.util.Locale;
import java.util.Objects;

/**
 * Serves the Connect protocol by translating it to and from gRPC, so that interceptors, deadlines, flow control and
 * JSON are implemented only once. Both protocols frame messages of streams in the same way. They end streams
 * differently, and in Connect unary messages have no frame. gRPC and gRPC-Web requests pass unchanged.
 */
public final class ConnectService extends SimpleDecoratingHttpService {
    /** Describes the framing of stream messages, for error messages. */
    public static final String FRAMING =
            "5 bytes before each message, a flag (0 is plain, 1 compressed) and its length as 4 bytes, big-endian";

    private static final String ACCEPTED =
            "application/json, application/proto, application/connect+json, application/connect+proto, application/grpc,"
                    + " application/grpc-web";
    static final String STREAM = "application/connect+";
    static final String GRPC = "application/grpc";

    private static final String SINGLE = "application/";

    private final GrpcService grpc;
    private final long largestFramed;
    private final UnaryCalls unary;
    private final StreamCalls streams;

    /** @param largestMessage maximum bytes of a message, also after it is decompressed */
    public ConnectService(HttpService delegate, int largestMessage) {
        super(delegate);
        this.grpc = Objects.requireNonNull(delegate.as(GrpcService.class));
        // gRPC-Web may encode the body as base64.
        this.largestFramed = (Frames.HEAD + largestMessage) * 4L / 3 + Frames.HEAD;
        this.unary = new UnaryCalls(this::call, largestMessage);
        this.streams = new StreamCalls(this::call);
    }

    /**
     * Makes Armeria always stream requests. Otherwise it would collect the whole body before it calls {@link #serve}.
     */
    @Override
    public ExchangeType exchangeType(RoutingContext routing) {
        return super.exchangeType(routing).isResponseStreaming()
                ? ExchangeType.BIDI_STREAMING
                : ExchangeType.REQUEST_STREAMING;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) throws Exception {
        ServerMethodDefinition<?, ?> method = grpc.methodDefinition(context);
        if (method == null) {
            return unwrap().serve(context, request);
        }
        MethodDescriptor<?, ?> called = method.getMethodDescriptor();
        boolean single = called.getType() == MethodDescriptor.MethodType.UNARY;
        if (request.method() == HttpMethod.GET) {
            return single && called.isSafe() ? unary.get(context, request) : onlyPost();
        }
        if (request.method() != HttpMethod.POST) {
            return onlyPost();
        }
        String type = mediaType(request);
        if (type.startsWith(GRPC)) {
            return unwrap().serve(context, single ? BoundedRequest.of(request, largestFramed) : request);
        }
        Codec codec = Codec.of(type, single ? SINGLE : STREAM);
        if (codec == null) {
            return unsupported(called, single, type);
        }
        return single ? unary.post(context, request, codec) : streams.post(context, request, codec);
    }

    private HttpResponse call(ServiceRequestContext context, HttpRequest grpcRequest) {
        context.updateRequest(grpcRequest);
        try {
            return unwrap().serve(context, grpcRequest);
        } catch (Exception e) {
            return HttpResponse.ofFailure(e);
        }
    }

    private static String mediaType(HttpRequest request) {
        var type = request.contentType();
        return type == null ? "" : (type.type() + "/" + type.subtype()).toLowerCase(Locale.ROOT);
    }

    private static HttpResponse onlyPost() {
        return HttpResponse.of(ResponseHeaders.builder(HttpStatus.METHOD_NOT_ALLOWED)
                .set("allow", "POST")
                .build());
    }

    /**
     * Returns the response to an unsupported content type. The message is also in the body, because users who call by
     * hand rarely read headers.
     */
    private static HttpResponse unsupported(MethodDescriptor<?, ?> called, boolean single, String type) {
        String expected = single
                ? "application/json or application/proto"
                : "application/connect+json or application/connect+proto, because " + called.getBareMethodName()
                        + " is a stream: " + FRAMING;
        String message = "content-type: " + (type.isEmpty() ? "missing" : type) + " (expected: " + expected + ")";
        return HttpResponse.of(
                ResponseHeaders.builder(HttpStatus.UNSUPPORTED_MEDIA_TYPE)
                        .set("accept-post", ACCEPTED)
                        .contentType(MediaType.JSON)
                        .build(),
                HttpData.ofUtf8(ConnectError.of(Status.Code.INVALID_ARGUMENT, message)
                        .json()
                        .toString()));
    }
}
