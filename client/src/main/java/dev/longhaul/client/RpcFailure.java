package dev.longhaul.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;

/** Converts gRPC errors to exceptions with Longhaul's error codes. */
final class RpcFailure {
    private RpcFailure() {}

    static LonghaulException of(Throwable failure) {
        Status status = Status.fromThrowable(failure);
        String description = status.getDescription();
        return new LonghaulException(
                code(failure, status), description == null ? status.getCode().name() : description, failure);
    }

    private static ErrorCode code(Throwable failure, Status status) {
        com.google.rpc.Status details = StatusProto.fromThrowable(failure);
        if (details != null) {
            for (Any detail : details.getDetailsList()) {
                try {
                    if (detail.is(ErrorInfo.class)) {
                        return ErrorCode.valueOf(detail.unpack(ErrorInfo.class).getReason());
                    }
                } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
                    // A newer server sent an unknown code; use the gRPC status.
                }
            }
        }
        return switch (status.getCode()) {
            case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case FAILED_PRECONDITION, ALREADY_EXISTS, ABORTED -> ErrorCode.FAILED_PRECONDITION;
            case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
            case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
            case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
            // A proxy whose server is unavailable returns 404, which gRPC maps to UNIMPLEMENTED; so it can be retried.
            case UNAVAILABLE, UNIMPLEMENTED, DEADLINE_EXCEEDED, CANCELLED -> ErrorCode.UNAVAILABLE;
            default -> ErrorCode.INTERNAL;
        };
    }
}
