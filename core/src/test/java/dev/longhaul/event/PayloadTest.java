package dev.longhaul.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Progress;
import org.junit.jupiter.api.Test;

class PayloadTest {
    @Test
    void describes_a_failure_without_the_details_for_operators() {
        var failure = new Failure("exception", "a \"b\"\n\\c", "java.io.IOException", "stack");

        assertThat(Payload.of(failure))
                .isEqualTo("{\"error\":{\"code\":\"exception\",\"message\":\"a \\\"b\\\"\\u000a\\\\c\"}}");
        assertThat(Payload.of((Failure) null)).isNull();
    }

    @Test
    void contains_progress() {
        assertThat(Payload.of(new Progress(40, null))).isEqualTo("{\"percent\":40}");
        assertThat(Payload.of(new Progress(40, "x"))).isEqualTo("{\"percent\":40,\"message\":\"x\"}");
    }

    @Test
    void omits_absent_members() {
        assertThat(Payload.of("a", "1", "b", "2")).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
        assertThat(Payload.of("a", null, "b", "2")).isEqualTo("{\"b\":\"2\"}");
        assertThat(Payload.of("a", "1", "b", null)).isEqualTo("{\"a\":\"1\"}");
        assertThat(Payload.of("a", null, "b", null)).isNull();
    }

    @Test
    void can_always_be_stored() {
        String payload = Payload.of("by", "an\u0000na \ud83d");

        assertThat(payload).isEqualTo("{\"by\":\"an\ufffdna \ufffd\"}");
        assertThat(Text.storable(String.valueOf(payload))).isTrue();
    }
}
