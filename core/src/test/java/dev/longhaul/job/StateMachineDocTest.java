package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Prints {@code docs/state-machine.md} from {@link JobState}; {@code -Dlonghaul.docs=write} rewrites the page. */
class StateMachineDocTest {
    @Test
    void the_page_lists_every_transition() throws IOException {
        Path document = docs().resolve("state-machine.md");
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(document, printed());
        }

        assertThat(document)
                .as("docs/state-machine.md (rewrite it: mvn -f core/pom.xml test -Dlonghaul.docs=write)")
                .hasContent(printed());
    }

    private static String printed() {
        return """
                # The state machine

                Printed from `JobState` by `StateMachineDocTest`; do not edit. Rewrite it with
                `mvn -f core/pom.xml test -Dlonghaul.docs=write`.

                ```mermaid
                stateDiagram-v2
                    [*] --> created: held
                    [*] --> waiting
                %s
                %s
                ```

                | transition | cause |
                |---|---|
                %s

                A waiting job is shown with one of three statuses, which depend on its run time, its attempts and the store's clock:
                `scheduled` (the run time is in the future, no attempt is spent), `retrying` (in the future, after a failed attempt)
                and `queued` (the run time has passed). A worker holds a lease while a job is `running` or `cancelling`. Of the terminal
                states, only `succeeded` is final.
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

    /** The cause of a transition; fails for one that is not described here. */
    private static String cause(JobState.Edge edge) {
        return switch (edge.toString()) {
            case "created → waiting" -> "release";
            case "waiting → created" -> "hold";
            case "created → cancelled", "waiting → cancelled" -> "cancel, effective immediately";
            case "waiting → running" -> "claim: spends an attempt and starts a run";
            case "running → waiting" -> "retry, snooze, give back; a crash or an expired lease while attempts are left";
            case "running → cancelling" -> "cancel: the worker is asked to end the run";
            case "running → succeeded" -> "the handler returned";
            case "running → failed" -> "no attempts left, not retryable, or quarantined after several crashes";
            case "cancelling → succeeded" -> "the handler returned before it noticed";
            case "cancelling → cancelled" -> "the run ended in any other way, or its lease expired";
            case "failed → waiting", "cancelled → waiting" ->
                "retry by an operator: all attempts again, run numbers continue";
            default -> throw new AssertionError("no cause described for " + edge);
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
