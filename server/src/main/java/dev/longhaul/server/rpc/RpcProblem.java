package dev.longhaul.server.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.grpc.GrpcExceptionHandlerFunction;
import com.linecorp.armeria.server.RequestTimeoutException;
import dev.longhaul.api.http.ErrorText;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.rpc.connect.ConnectService;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts failures to RPC statuses, with the same codes as REST and the invalid fields as details. */
public final class RpcProblem implements GrpcExceptionHandlerFunction {
    private static final Logger LOG = LoggerFactory.getLogger(RpcProblem.class);
    private static final String DOMAIN = "longhaul.dev";
    private static final Metadata.Key<com.google.rpc.Status> DETAILS = Metadata.Key.of(
            "grpc-status-details-bin", ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

    @Override
    public @Nullable Status apply(RequestContext context, Status status, Throwable cause, Metadata metadata) {
        if (cause instanceof LonghaulException known && known.code() != ErrorCode.INTERNAL) {
            return status(known, null, metadata);
        }
        if (cause instanceof Detailed detailed) {
            return status(detailed.failure, detailed.detail, metadata);
        }
        if (cause instanceof ResponseCompleteException) {
            // The response was already sent, so the status is no longer needed.
            return Status.CANCELLED;
        }
        if (cause instanceof RequestTimeoutException) {
            // Armeria would report CANCELLED; then the client would believe that it cancelled the call itself.
            return Status.DEADLINE_EXCEEDED.withDescription("timeout: deadline exceeded before the call completed");
        }
        if (cause instanceof ContentTooLargeException large) {
            return status(tooLarge(large), null, metadata);
        }
        // Armeria reports malformed frames as INTERNAL, although they are errors of the client.
        boolean malformedFrame = cause instanceof StatusRuntimeException && status.getCode() == Status.Code.INTERNAL;
        if (malformedFrame) {
            return status(Fields.bad("message", "not framed", ConnectService.FRAMING), null, metadata);
        }
        if (cause instanceof IOException || cause.getCause() instanceof InvalidProtocolBufferException) {
            return status(unreadable(cause), null, metadata);
        }
        // Armeria's own status, for example for a disconnected client.
        Status usual = GrpcExceptionHandlerFunction.of().apply(context, status, cause, metadata);
        return usual == null || usual.getCode() == Status.Code.UNKNOWN || usual.getCode() == Status.Code.INTERNAL
                ? unexpected(context, cause)
                : usual;
    }

    /** A failure with an additional detail message. */
    public static final class Detailed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient LonghaulException failure;
        private final transient Message detail;

        public Detailed(LonghaulException failure, Message detail) {
            super(failure);
            this.failure = failure;
            this.detail = detail;
        }
    }

    private static Status status(LonghaulException failure, @Nullable Message detail, Metadata metadata) {
        String message = Problem.message(failure);
        Status status = status(failure.code()).withDescription(message);
        var details = com.google.rpc.Status.newBuilder()
                .setCode(status.getCode().value())
                .setMessage(message)
                .addDetails(Any.pack(ErrorInfo.newBuilder()
                        .setReason(failure.code().name())
                        .setDomain(DOMAIN)
                        .build()));
        if (!failure.errors().isEmpty()) {
            var bad = BadRequest.newBuilder();
            failure.errors()
                    .forEach(error -> bad.addFieldViolationsBuilder()
                            .setField(error.field())
                            .setDescription(error.value() + " (expected: " + error.expected() + ")"));
            details.addDetails(Any.pack(bad.build()));
        }
        if (detail != null) {
            details.addDetails(Any.pack(detail));
        }
        metadata.put(DETAILS, details.build());
        return status;
    }

    static Status status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, UNKNOWN_DEFINITION, UNSUPPORTED_MEDIA_TYPE -> Status.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Status.PERMISSION_DENIED;
            case NOT_FOUND -> Status.NOT_FOUND;
            case FAILED_PRECONDITION -> Status.FAILED_PRECONDITION;
            case TOO_LARGE, RESOURCE_EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case INTERNAL -> Status.INTERNAL;
            case UNAVAILABLE -> Status.UNAVAILABLE;
        };
    }

    private static LonghaulException tooLarge(ContentTooLargeException failure) {
        long most = failure.maxContentLength() > 0 ? failure.maxContentLength() : RpcServices.MESSAGE;
        return new LonghaulException(
                ErrorCode.TOO_LARGE, "the message is too large (expected: at most " + most + " bytes)");
    }

    private static LonghaulException unreadable(Throwable cause) {
        String text = cause instanceof JsonProcessingException json ? json.getOriginalMessage() : cause.getMessage();
        return Fields.bad("message", Problem.brief(ErrorText.of(String.valueOf(text))), "the method's request");
    }

    /** Logs the failure with an error id. The client gets only the id. */
    private static Status unexpected(RequestContext context, Throwable failure) {
        String errorId = UUID.randomUUID().toString();
        LOG.error("{} failed; error id {}", context.path(), errorId, failure);
        return Status.INTERNAL.withDescription(
                "unexpected error; the server's log has the details under error id " + errorId);
    }
}
