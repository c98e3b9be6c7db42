package dev.longhaul.process.supervise;

import dev.longhaul.event.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** A piece of the output of a process on one stream. */
final class Chunk {
    private final String stream;
    private byte[] bytes;
    private int length;

    Chunk(String stream, byte[] bytes) {
        this.stream = stream;
        this.bytes = bytes;
        this.length = bytes.length;
    }

    String stream() {
        return stream;
    }

    int length() {
        return length;
    }

    /** Returns a note that replaces the bytes dropped between the head and the tail. */
    static Chunk cut(long dropped) {
        String note = "\n[" + dropped + " bytes omitted]\n";
        return new Chunk("cut", note.getBytes(StandardCharsets.UTF_8));
    }

    void append(Chunk next) {
        if (bytes.length - length < next.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + next.length));
        }
        System.arraycopy(next.bytes, 0, bytes, length, next.length);
        length += next.length;
    }

    /** JSON with the bytes as text if they are valid UTF-8, else as base64, so that no byte changes. */
    String json() {
        String start = "{\"stream\":\"" + stream + "\",";
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
            if (text.indexOf('\0') < 0) {
                return start + "\"text\":" + Payload.quoted(text) + "}";
            }
        } catch (CharacterCodingException e) {
            // The bytes are not UTF-8, so they are encoded as base64 below.
        }
        return start + "\"base64\":\"" + Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, length)) + "\"}";
    }
}
