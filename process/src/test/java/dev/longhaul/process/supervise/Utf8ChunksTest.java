package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Bytes that arrive in pieces. */
class Utf8ChunksTest {
    @Test
    void are_cut_between_characters_wherever_they_come_apart() {
        byte[] all = "a\u00fc\u20ac\uD83D\uDE00z".getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= all.length; cut++) {
            var chunks = new Utf8Chunks();
            byte[] first = chunks.next(Arrays.copyOf(all, cut));
            byte[] second = chunks.next(Arrays.copyOfRange(all, cut, all.length));
            assertThat(new String(first, StandardCharsets.UTF_8)).doesNotContain("\uFFFD");
            assertThat(new String(second, StandardCharsets.UTF_8)).doesNotContain("\uFFFD");
            assertThat(first.length + second.length).isEqualTo(all.length);
            assertThat(chunks.rest()).isEmpty();
        }
    }

    @Test
    void that_are_no_text_pass_as_they_are() {
        var chunks = new Utf8Chunks();
        var passed = new ByteArrayOutputStream();
        byte[] all = new byte[512];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        for (byte one : all) {
            passed.writeBytes(chunks.next(new byte[] {one}));
        }
        passed.writeBytes(chunks.rest());
        assertThat(passed.toByteArray()).isEqualTo(all);
    }
}
