package dev.longhaul.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.google.protobuf.util.JsonFormat;
import com.linecorp.armeria.common.grpc.GrpcJsonMarshaller;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Parses JSON messages of RPC as strictly as REST does. Protobuf's own parser rejects unknown fields, but it accepts
 * duplicate fields, and builds the whole message before fields can be counted.
 */
public final class StrictJson implements GrpcJsonMarshaller {
    /** Maximum number of fields of one message, including nested fields. */
    public static final int MOST_FIELDS = 20_000;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    // Does not use Armeria's default marshaller, which generates classes for each message while the server starts.
    private final GrpcJsonMarshaller protobuf = GrpcJsonMarshaller.builderForGson()
            .jsonParserCustomizer(usual -> {
                return JsonFormat.parser(); // rejects unknown fields
            })
            .build();

    @Override
    public <T> void serializeMessage(MethodDescriptor.Marshaller<T> marshaller, T message, OutputStream out)
            throws IOException {
        protobuf.serializeMessage(marshaller, message, out);
    }

    @Override
    public <T> T deserializeMessage(MethodDescriptor.Marshaller<T> marshaller, InputStream in) throws IOException {
        byte[] bytes = in.readAllBytes();
        check(new String(bytes, StandardCharsets.UTF_8));
        return protobuf.deserializeMessage(marshaller, new ByteArrayInputStream(bytes));
    }

    private static void check(String json) throws IOException {
        int fields = 0;
        try (JsonParser parser = JSON.createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME && ++fields > MOST_FIELDS) {
                    throw new IOException("more than " + MOST_FIELDS + " fields");
                }
            }
        }
    }
}
