package dev.longhaul.process.supervise;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.json.Secrets;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class HidingStreamTest {
    private static String hidden(Secrets secrets, int piece, byte[] bytes) {
        var stream = new HidingStream(secrets);
        var out = new ByteArrayOutputStream();
        for (int from = 0; from < bytes.length; from += piece) {
            byte[] next = new byte[Math.min(piece, bytes.length - from)];
            System.arraycopy(bytes, from, next, 0, next.length);
            out.writeBytes(stream.next(next));
        }
        out.writeBytes(stream.rest());
        return out.toString(UTF_8);
    }

    @Test
    void hides_a_secret_in_pieces_of_every_size() {
        var secrets = Secrets.of(List.of("ab-ab-äc", "other-secret"));
        byte[] printed = "ab-ab-ab-äc and other-secre, other-secret ab-ab-".getBytes(UTF_8);
        for (int piece = 1; piece <= printed.length; piece++) {
            assertThat(hidden(secrets, piece, printed)).isEqualTo("ab-*** and other-secre, *** ab-ab-");
        }
    }

    @Test
    void changes_no_other_byte() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        assertThat(new HidingStream(Secrets.of(List.of("secret"))).next(all)).isEqualTo(all);
    }

    @Test
    void hides_a_longer_secret_that_begins_with_a_shorter_one() {
        var secrets = Secrets.of(List.of("hunter2", "hunter2-longer"));
        byte[] all = "hunter2-longer hunter2-long hunter2".getBytes(UTF_8);
        for (int piece = 1; piece <= all.length; piece++) {
            assertThat(hidden(secrets, piece, all)).isEqualTo("*** ***-long ***");
        }
    }

    @Test
    void hides_encoded_secrets_in_whatever_pieces_they_come() {
        var secrets = Secrets.of(List.of("hunter2-canary"));
        String base64 = Base64.getEncoder().encodeToString("user:hunter2-canary".getBytes(UTF_8));
        byte[] all = ("<68756e746572322d63616e617279> <" + base64 + ">").getBytes(UTF_8);
        for (int piece = 1; piece <= all.length; piece++) {
            assertThat(hidden(secrets, piece, all)).startsWith("<***> <").doesNotContain(base64.substring(8));
        }
    }
}
