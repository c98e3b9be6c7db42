package dev.longhaul.process;

import dev.longhaul.event.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** Some bytes that a process printed at once, or nearly so. */
final class Chunk {
    private final String stream;
    private final byte[] bytes;

    Chunk(String stream, byte[] bytes) {
        this.stream = stream;
        this.bytes = bytes;
    }

    String stream() {
        return stream;
    }

    int length() {
        return bytes.length;
    }

    /** A note about what was left out between the beginning and the end. */
    static Chunk cut(long dropped) {
        String note = "\n[" + dropped + " bytes were left out here]\n";
        return new Chunk("cut", note.getBytes(StandardCharsets.UTF_8));
    }

    Chunk plus(Chunk next) {
        byte[] both = Arrays.copyOf(bytes, bytes.length + next.bytes.length);
        System.arraycopy(next.bytes, 0, both, bytes.length, next.bytes.length);
        return new Chunk(stream, both);
    }

    /** As text where it is text, else in base64: no byte is ever changed. */
    String json() {
        String start = "{\"stream\":\"" + stream + "\",";
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.indexOf('\0') < 0) {
                return start + "\"text\":" + Payload.quoted(text) + "}";
            }
        } catch (CharacterCodingException e) {
            // Then not as text.
        }
        return start + "\"base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}";
    }
}
