package dev.longhaul.server.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;

/**
 * Writes protobuf messages from their end to their beginning: what a message holds is there before the length that goes before it, so
 * nothing is measured first. Fields are therefore written last one first.
 */
final class BackwardProtobuf {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;
    private static final int LONGEST_VARINT = 10;
    private static final int LEAST_GROWTH = 1 << 12;
    private static final int KEPT = 1 << 21;

    private byte[] bytes = {};
    private int start;

    /** How much is written; kept, it says where a message ends that is written next. */
    int size() {
        return bytes.length - start;
    }

    /** Takes back what was written since it had this size. */
    void cutTo(int size) {
        start = bytes.length - size;
    }

    void clear() {
        if (bytes.length > KEPT) {
            bytes = new byte[0];
        }
        start = bytes.length;
    }

    void copyTo(OutputStream to) throws IOException {
        to.write(bytes, start, size());
    }

    /** Everything that was written since is the message in this field. */
    void message(int field, int end) {
        varint(size() - end);
        tag(field, LENGTH);
    }

    void string(int field, String text) {
        bytes(field, text.getBytes(UTF_8));
    }

    void bytes(int field, byte[] value) {
        makeRoom(value.length);
        start -= value.length;
        System.arraycopy(value, 0, bytes, start, value.length);
        varint(value.length);
        tag(field, LENGTH);
    }

    /** An id, which is known as text and sent as what that stands for. */
    void hex(int field, String digits) {
        int length = digits.length() / 2;
        makeRoom(length);
        start -= length;
        for (int i = 0; i < length; i++) {
            int high = HexFormat.fromHexDigit(digits.charAt(2 * i));
            bytes[start + i] = (byte) ((high << 4) | HexFormat.fromHexDigit(digits.charAt(2 * i + 1)));
        }
        varint(length);
        tag(field, LENGTH);
    }

    void number(int field, long value) {
        varint(value);
        tag(field, VARINT);
    }

    void fixed64(int field, long value) {
        little(value, Long.BYTES);
        tag(field, FIXED64);
    }

    void fixed32(int field, int value) {
        little(value, Integer.BYTES);
        tag(field, FIXED32);
    }

    private void little(long value, int length) {
        makeRoom(length);
        start -= length;
        for (int i = 0; i < length; i++) {
            bytes[start + i] = (byte) (value >>> (8 * i));
        }
    }

    private void tag(int field, int type) {
        varint((field << 3) | type);
    }

    private void varint(long value) {
        makeRoom(LONGEST_VARINT);
        int length = (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
        start -= length;
        long rest = value;
        for (int i = start; i < start + length - 1; i++) {
            bytes[i] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[start + length - 1] = (byte) rest;
    }

    private void makeRoom(int length) {
        if (start < length) {
            int size = size();
            int more = Math.max(Math.max(bytes.length, length), LEAST_GROWTH);
            byte[] larger = new byte[Math.addExact(bytes.length, more)];
            System.arraycopy(bytes, start, larger, larger.length - size, size);
            bytes = larger;
            start = larger.length - size;
        }
    }
}
