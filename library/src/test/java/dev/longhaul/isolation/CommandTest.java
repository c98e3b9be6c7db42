package dev.longhaul.isolation;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.json.Json;
import dev.longhaul.process.command.Command;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.process.command.CommandResult;
import dev.longhaul.process.command.Commands;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Commands as jobs. */
class CommandTest {
    private static final JobDefinition<JsonNode, CommandResult> FINAL = JobDefinition.of(
                    "final", JsonNode.class, CommandResult.class)
            .paramsSchema("true")
            .isolation(Isolation.process())
            .handler(new CommandHandler(
                    params -> new Command(List.of("/bin/sh", "-c", "exit 143"), Map.of(), null, null, null),
                    Set.of(143)));

    private static final Longhaul LONGHAUL = Longhaul.builder()
            .memory()
            .register(Commands.any())
            .register(FINAL)
            .cancelGrace(Duration.ofMillis(300))
            .drain(Duration.ZERO)
            .start();
    private static final Isolated JOBS = new Isolated(LONGHAUL);

    @AfterAll
    static void close() {
        LONGHAUL.close();
    }

    private JobId start(String params) {
        return LONGHAUL.jobs()
                .enqueue("command", null, params, options().maxAttempts(1))
                .id();
    }

    private JobId shell(String script) {
        return start("{\"argv\":[\"/bin/sh\",\"-c\"," + Json.write(script) + "]}");
    }

    @Test
    void succeeds_with_its_exit_code_and_reports_its_result() {
        JobId id = shell("echo hello; echo $LONGHAUL_JOB_ID");
        Job job = JOBS.ended(id);

        assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(job.result()).isEqualTo("{\"exitCode\":0}");
        assertThat(JOBS.output(id)).isEqualTo("hello\n" + id + "\n");
        assertThat(JOBS.payloads(id, EventType.PROCESS_START).get(0).get("pid").asLong())
                .isPositive();
        JsonNode end = JOBS.payloads(id, EventType.PROCESS_END).get(0);
        assertThat(end.get("exitCode").asInt()).isZero();
        assertThat(end.get("durationMillis").asLong()).isNotNegative();
    }

    @Test
    void fails_by_its_exit_code_or_signal() {
        assertThat(JOBS.failure(shell("exit 3"))).satisfies(failure -> {
            assertThat(failure.code()).isEqualTo("exit_code");
            assertThat(failure.message()).contains("3");
        });
        assertThat(JOBS.failure(shell("kill -SEGV $$")))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo("signal"));
    }

    @Test
    void that_does_not_exist_is_reported() {
        JobId id = start("{\"argv\":[\"no-such-program\"]}");
        assertThat(JOBS.failure(id).message()).contains("argv[0]: no-such-program (expected: a program");
        assertThat(JOBS.payloads(id, EventType.PROCESS_ERROR)).hasSize(1);
    }

    @Test
    void with_invalid_values_is_rejected_and_keeps_its_secrets() {
        JobId value = start("{\"argv\":[\"env\"],\"env\":{\"A\":\"hidden\\u0000\"}}");
        assertThat(JOBS.failure(value).message()).isEqualTo("env.A: *** (expected: no NUL in it)");
        assertThat(JOBS.failure(value).stack()).isNull();
        JobId name = start("{\"argv\":[\"env\"],\"env\":{\"A=B\":\"hidden\"}}");
        assertThat(JOBS.failure(name).message()).isEqualTo("env: \"A=B\" (expected: a name without = and NUL)");
        JobId dir = start("{\"argv\":[\"env\"],\"dir\":\"/\\u0000\"}");
        assertThat(JOBS.failure(dir).message()).startsWith("dir: ");
        assertThat(JOBS.payloads(dir, EventType.PROCESS_ERROR)).hasSize(1);
        assertThatThrownBy(() -> start("{\"argv\":[\"env\"],\"timeoutSeconds\":1000000000000}"))
                .hasMessageContaining("timeoutSeconds");
    }

    @Test
    void is_not_retried_after_a_final_exit_code_even_of_a_signal() {
        JobId id = LONGHAUL.later(FINAL, Objects.requireNonNull(Json.read("{}", JsonNode.class)));
        assertThat(JOBS.failure(id).code()).isEqualTo("signal");
        assertThat(JOBS.ended(id).tally().attempts()).isEqualTo(1);
    }

    @Test
    void gets_sigterm_when_it_is_cancelled() {
        JobId id = shell("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.02; done");
        JOBS.await(id, job -> JOBS.output(id).contains("ready"));
        LONGHAUL.store().jobs().execute(JobCommand.cancel(id, null, null, Duration.ofSeconds(20)));
        assertThat(JOBS.ended(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(JOBS.output(id)).contains("bye");
    }

    @Test
    void is_killed_when_it_does_not_end() {
        JobId id = shell("trap '' TERM; echo ready; while :; do sleep 0.02; done");
        JOBS.await(id, job -> JOBS.output(id).contains("ready"));
        LONGHAUL.store().jobs().execute(JobCommand.cancel(id, null, null, Duration.ZERO));
        assertThat(JOBS.ended(id).state()).isEqualTo(JobState.CANCELLED);
        assertThat(JOBS.payloads(id, EventType.PROCESS_END).get(0).get("signal").asInt())
                .isEqualTo(9);
    }

    @Test
    void reads_its_stdin_and_stops_at_its_own_timeout() {
        JobId id = start("{\"argv\":[\"cat\"],\"stdin\":\"gr\u00fc\u00df dich\"}");
        JOBS.ended(id);
        assertThat(JOBS.output(id)).isEqualTo("gr\u00fc\u00df dich");

        JobId late = start("{\"argv\":[\"sleep\",\"600\"],\"timeoutSeconds\":1}");
        assertThat(JOBS.failure(late).code()).isEqualTo("timeout");
    }

    @Test
    void may_print_anything() {
        JobId id = shell("printf 'a\\377\\000b'");
        JOBS.ended(id);
        assertThat(JOBS.payloads(id, EventType.OUTPUT).get(0).get("base64").asText())
                .isEqualTo("Yf8AYg==");
    }

    @Test
    void that_prints_too_much_keeps_its_beginning_and_its_end() {
        JobId id = shell("echo first; head -c 30000000 /dev/zero | tr '\\000' x; echo; echo last");
        JOBS.ended(id);
        List<JsonNode> payloads = JOBS.payloads(id, EventType.OUTPUT);
        long stored = payloads.stream()
                .mapToLong(payload -> payload.get("text").asText().length())
                .sum();
        assertThat(stored).isBetween(9L << 20, 11L << 20);
        assertThat(payloads.get(0).get("text").asText()).startsWith("first\n");
        assertThat(payloads.get(payloads.size() - 1).get("text").asText()).endsWith("last\n");
        assertThat(payloads).anyMatch(payload -> payload.get("stream").asText().equals("cut"));
    }
}
