package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Prints {@code docs/state-machine.md} from {@link JobState}; {@code -Dlonghaul.docs=write} regenerates it. */
class StateMachineDocTest {
    @Test
    void the_document_matches_the_code() throws IOException {
        Path document = docs().resolve("state-machine.md");
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(document, printed());
        }

        assertThat(document)
                .as("docs/state-machine.md (regenerate with: mvn -f core/pom.xml test -Dlonghaul.docs=write)")
                .hasContent(printed());
    }

    private static String printed() {
        return """
                # The state machine

                Generated from `JobState` by `StateMachineDocTest`; do not edit. Regenerate it with
                `mvn -f core/pom.xml test -Dlonghaul.docs=write`.

                ```mermaid
                stateDiagram-v2
                    [*] --> created: held
                    [*] --> waiting
                %s
                %s
                ```

                | edge | cause |
                |---|---|
                %s

                A waiting job has one of three statuses, by its run time, its attempts and the store's clock: `scheduled` (run time in
                the future, no attempt spent), `retrying` (run time in the future, after a failed attempt) or `queued` (run time
                reached). A worker holds a lease while a job is `running` or `cancelling`. A `succeeded` job is final; `failed` and
                `cancelled` jobs can be retried by an operator.
                """.formatted(
                        lines("    %s --> %s"),
                        JobState.edges().stream()
                                .map(JobState.Edge::to)
                                .distinct()
                                .filter(JobState::terminal)
                                .map(state -> "    %s --> [*]".formatted(state.wireName()))
                                .collect(Collectors.joining("\n")),
                        JobState.edges().stream()
                                .map(edge -> "| %s | %s |".formatted(edge, cause(edge)))
                                .collect(Collectors.joining("\n")));
    }

    private static String lines(String pattern) {
        return JobState.edges().stream()
                .map(edge -> pattern.formatted(edge.from().wireName(), edge.to().wireName()))
                .collect(Collectors.joining("\n"));
    }

    /** Fails for an edge without a description. */
    private static String cause(JobState.Edge edge) {
        return switch (edge.toString()) {
            case "created → waiting" -> "release";
            case "waiting → created" -> "hold";
            case "created → cancelled", "waiting → cancelled" -> "cancel, effective immediately";
            case "waiting → running" -> "claim: spends an attempt and starts a run";
            case "running → waiting" -> "retry, snooze, give back; a crash or an expired lease with attempts left";
            case "running → cancelling" -> "cancel: the worker is notified to end the run";
            case "running → succeeded" -> "the handler returned";
            case "running → failed" -> "no attempts left, not retryable, or quarantined after several crashes";
            case "cancelling → succeeded" -> "the handler returned before it noticed the cancel";
            case "cancelling → cancelled" -> "the run ended in any other way, or its lease expired";
            case "failed → waiting", "cancelled → waiting" ->
                "retry by an operator: all attempts again, run numbers continue";
            default -> throw new AssertionError("no description of the edge " + edge);
        };
    }

    private static Path docs() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("docs")) && Files.exists(folder.resolve("pom.xml"))) {
                return folder.resolve("docs");
            }
        }
        throw new AssertionError("no folder above " + Path.of("").toAbsolutePath() + " has docs/ and pom.xml");
    }
}
