package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.json.Json;
import dev.longhaul.json.Secrets;
import dev.longhaul.spi.Execution;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Output of processes as events. */
@Timeout(60)
class OutputTest {
    private final Heard heard = new Heard();

    private static final class Heard implements Execution {
        final List<String> payloads = new CopyOnWriteArrayList<>();
        Secrets secrets = Secrets.NONE;

        @Override
        public JobDefinition<?, ?> definition() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String params() {
            throw new UnsupportedOperationException();
        }

        @Override
        public JobContext context() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void report(EventType type, String payload) {
            // Rejects events that are too large, like a store.
            payloads.add(Objects.requireNonNull(new NewEvent(1, type, null, payload).payload()));
        }

        @Override
        public Secrets secrets() {
            return secrets;
        }

        @Override
        public long nanosLeft() {
            return Long.MAX_VALUE;
        }

        String text() {
            return payloads.stream()
                    .map(payload -> Objects.requireNonNull(Json.read(payload, JsonNode.class))
                            .path("text")
                            .asText())
                    .collect(Collectors.joining());
        }
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A stream of that many bytes, a few per read. */
    private static InputStream drops(int bytes) {
        return new InputStream() {
            private int left = bytes;

            @Override
            public int read() {
                return left-- > 0 ? 'x' : -1;
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                return super.read(buffer, offset, Math.min(length, 8));
            }
        };
    }

    /** A stream that stays open until the latch is released. */
    private static InputStream held(CountDownLatch latch) {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                try {
                    latch.await();
                    return -1;
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                return read();
            }
        };
    }

    @Test
    void is_stored_however_early_it_comes() {
        for (int i = 0; i < 3000; i++) {
            new Output(stream("a"), stream(""), heard).await();
        }
        assertThat(heard.text()).hasSize(3000);
    }

    @Test
    void that_comes_in_drops_becomes_few_events() {
        int bytes = Output.HEAD + Output.TAIL;
        new Output(drops(bytes), stream(""), heard).await();
        assertThat(heard.text()).hasSize(bytes);
        assertThat(heard.payloads).hasSizeLessThan(2000);
    }

    @Test
    void of_empty_lines_alone_fits_into_events() {
        String first = "\n".repeat(25_000);
        String more = "\n".repeat(300_000);
        new Output(new SequenceInputStream(stream(first), stream(more)), stream(""), heard).await();
        assertThat(heard.text()).isEqualTo(first + more);
    }

    @Test
    void that_was_nearly_a_long_secret_fits_into_events() {
        String nearly = "\u0001ä".repeat(40_000);
        heard.secrets = Secrets.of(List.of("(" + nearly + ")"));
        new Output(stream("(" + nearly), stream("(" + nearly + "]"), heard).await();
        assertThat(heard.text()).hasSize(2 * nearly.length() + 3);
    }

    @Test
    void need_not_end_with_the_processes() {
        var latch = new CountDownLatch(1);
        new Output(new SequenceInputStream(stream("heard"), held(latch)), stream(""), heard).await();
        assertThat(heard.text()).isEqualTo("heard");
        latch.countDown();
    }
}
