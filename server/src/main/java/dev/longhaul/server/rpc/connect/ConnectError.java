package dev.longhaul.server.rpc.connect;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpStatus;
import io.grpc.Status;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An error in the Connect protocol.
 *
 * @param details a google.rpc.Status in base64, as gRPC sends it
 */
record ConnectError(
        Status.Code code,
        @Nullable String message,
        @Nullable String details) {
    static ConnectError of(Status.Code code, String message) {
        return new ConnectError(code, message, null);
    }

    /** Decodes the trailers of a gRPC call; returns null if the call succeeded. */
    static @Nullable ConnectError of(HttpHeaders trailers) {
        int number = trailers.getInt(Headers.GRPC_STATUS, Status.Code.UNKNOWN.value());
        if (number == 0) {
            return null;
        }
        String message = trailers.get("grpc-message");
        return new ConnectError(
                Status.fromCodeValue(number).getCode(),
                message == null ? null : URLDecoder.decode(message.replace("+", "%2B"), StandardCharsets.UTF_8),
                trailers.get("grpc-status-details-bin"));
    }

    HttpStatus httpStatus() {
        return HttpStatus.valueOf(
                switch (code) {
                    case OK -> 200;
                    case CANCELLED -> 499;
                    case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> 400;
                    case UNAUTHENTICATED -> 401;
                    case PERMISSION_DENIED -> 403;
                    case NOT_FOUND -> 404;
                    case ALREADY_EXISTS, ABORTED -> 409;
                    case RESOURCE_EXHAUSTED -> 429;
                    case UNKNOWN, INTERNAL, DATA_LOSS -> 500;
                    case UNIMPLEMENTED -> 501;
                    case UNAVAILABLE -> 503;
                    case DEADLINE_EXCEEDED -> 504;
                });
    }

    ObjectNode json() {
        // The Connect protocol spells it with one l.
        String name = code == Status.Code.CANCELLED ? "canceled" : code.name().toLowerCase(Locale.ROOT);
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("code", name);
        if (message != null) {
            json.put("message", message);
        }
        if (details != null) {
            addDetails(json, details);
        }
        return json;
    }

    private static void addDetails(ObjectNode json, String base64) {
        try {
            var status = com.google.rpc.Status.parseFrom(Base64.getDecoder().decode(base64));
            var list = json.putArray("details");
            status.getDetailsList()
                    .forEach(detail -> list.addObject()
                            .put(
                                    "type",
                                    detail.getTypeUrl()
                                            .substring(detail.getTypeUrl().lastIndexOf('/') + 1))
                            .put(
                                    "value",
                                    Base64.getEncoder()
                                            .withoutPadding()
                                            .encodeToString(detail.getValue().toByteArray())));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            // Malformed details are omitted; the code and the message are still sent.
            json.remove("details");
        }
    }
}
