package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Prints {@code docs/state-machine.md} from {@link JobState}; {@code -Dlonghaul.docs=write} writes it anew. */
class StateMachineDocTest {
    @Test
    void the_document_tells_what_the_code_does() throws IOException {
        Path document = docs().resolve("state-machine.md");
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(document, printed());
        }

        assertThat(document)
                .as("docs/state-machine.md (write it anew with: mvn -f core/pom.xml test -Dlonghaul.docs=write)")
                .hasContent(printed());
    }

    private static String printed() {
        return """
                # The state machine

                Printed from `JobState` by `StateMachineDocTest`; do not edit. Write it anew with
                `mvn -f core/pom.xml test -Dlonghaul.docs=write`.

                ```mermaid
                stateDiagram-v2
                    [*] --> created: held
                    [*] --> waiting
                %s
                %s
                ```

                | edge | what takes it |
                |---|---|
                %s

                Waiting has three faces, told apart by the run time, the attempts and the store's clock: `scheduled` (the run time
                is ahead, no attempt is spent), `retrying` (it is ahead, after a failed attempt) and `queued` (it has come). A worker
                holds a lease while a job is `running` or `cancelling`. Of the terminal states, `succeeded` is for ever.
                """.formatted(
                        lines("    %s --> %s"),
                        JobState.edges().stream()
                                .map(JobState.Edge::to)
                                .distinct()
                                .filter(JobState::terminal)
                                .map(state -> "    %s --> [*]".formatted(state.wireName()))
                                .collect(Collectors.joining("\n")),
                        JobState.edges().stream()
                                .map(edge -> "| %s | %s |".formatted(edge, what(edge)))
                                .collect(Collectors.joining("\n")));
    }

    private static String lines(String pattern) {
        return JobState.edges().stream()
                .map(edge -> pattern.formatted(edge.from().wireName(), edge.to().wireName()))
                .collect(Collectors.joining("\n"));
    }

    /** Fails for an edge that nobody has described yet. */
    private static String what(JobState.Edge edge) {
        return switch (edge.toString()) {
            case "created → waiting" -> "release";
            case "waiting → created" -> "hold";
            case "created → cancelled", "waiting → cancelled" -> "cancel, at once";
            case "waiting → running" -> "claim: spends an attempt and starts a run";
            case "running → waiting" -> "retry, snooze, give back; a crash or a lapsed lease while attempts are left";
            case "running → cancelling" -> "cancel: the worker is asked to end the run";
            case "running → succeeded" -> "the handler returned";
            case "running → failed" -> "no attempts left, not retryable, or quarantined after several crashes";
            case "cancelling → succeeded" -> "the handler returned before it noticed";
            case "cancelling → cancelled" -> "the run ended in any other way, or its lease lapsed";
            case "failed → waiting", "cancelled → waiting" ->
                "an operator's retry: all attempts anew, the run number goes on";
            default -> throw new AssertionError("what takes the edge " + edge + "?");
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
