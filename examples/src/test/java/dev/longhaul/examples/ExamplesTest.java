package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs every example as a reader would and checks what it prints. The examples share one database server, to save time. */
@Timeout(60)
class ExamplesTest {
    @SuppressWarnings("NullAway.Init")
    private static ExampleDatabase database;

    /** The program of an example. */
    private interface Program {
        void run(String[] arguments) throws Exception;
    }

    @BeforeAll
    static void openDatabase() throws IOException {
        deleteDataOfEarlierBuilds();
        database = ExampleDatabase.open();
        System.setProperty(ExampleDatabase.URL, database.url());
    }

    @AfterAll
    static void closeDatabase() {
        System.clearProperty(ExampleDatabase.URL);
        database.close();
    }

    private static void deleteDataOfEarlierBuilds() throws IOException {
        if (Files.exists(ExampleDatabase.HOME)) {
            try (Stream<Path> files = Files.walk(ExampleDatabase.HOME)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void front_page() throws Exception {
        assertThat(linesOf(FrontPage::main)).containsExactly("Welcome! ann@example.org");
    }

    @Test
    void first_job() throws Exception {
        assertThat(linesOf(arguments -> FirstJob.main(new String[] {database.url()})))
                .containsExactly("Hello, Ann!");
    }

    @Test
    void scheduling() throws Exception {
        assertThat(linesOf(Scheduling::main)).containsExactly("next: 3", "hourly report", "report");
    }

    @Test
    void flow_control() throws Exception {
        assertThat(linesOf(FlowControl::main)).containsExactly("accepted", "4", "resource_exhausted");
    }

    @Test
    void quick_start() throws Exception {
        assertThat(linesOf(QuickStart::main)).containsExactly("Transcoded[output=s3://in/cat.mov.hd, bytes=1048576]");
    }

    @Test
    void changing_a_job() throws Exception {
        assertThat(linesOf(ChangingAJob::main)).containsExactly("to ann, no subject: hello", "2", "[news]");
    }

    @Test
    void a_job_queued_in_a_transaction_that_is_rolled_back_does_not_exist() throws Exception {
        assertThat(linesOf(SameTransaction::main))
                .containsExactly("Confirmed[order=A-1]", "refused: order A-1 exists", "jobs created by that: 0");
    }

    @Test
    void a_step_that_a_killed_worker_had_done_is_not_repeated() throws Exception {
        assertThat(linesOf(SurvivingSteps::main))
                .containsExactly("killed the first worker", "Imported[rows=42, run=2]", "downloads: 1");
    }

    @Test
    void a_batch_returns_results_in_order() throws Exception {
        List<String> lines = linesOf(Batches::main);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).isEqualTo("Resized[thumbnail=small-cat.png]");
        assertThat(lines.get(1)).startsWith("image.resize@1 ").endsWith("failed: exception: notes.txt is not an image");
        assertThat(lines.get(2)).isEqualTo("Resized[thumbnail=small-dog.png]");
    }

    @Test
    void a_running_job_is_cancelled() throws Exception {
        assertThat(linesOf(Cancelling::main)).containsExactly("CANCELLED");
    }

    @Test
    void a_tick_runs_five() throws Exception {
        assertThat(linesOf(Ticking::main)).containsExactly("ran 5, left 2", "ran 2, left 0");
    }

    @Test
    void a_call_has_options_of_its_own() throws Exception {
        assertThat(linesOf(CallOptions::main)).containsExactly("the same job: true", "scheduled in reports");
    }

    @Test
    void failures_are_retried_postponed_or_final() throws Exception {
        // Hooks run beside what waits for the job.
        assertThat(linesOf(Failing::main))
                .containsSubsequence(
                        "busy: succeeded after 1",
                        "flaky: succeeded after 3",
                        "gone: failed after 1",
                        "nowhere: failed after 1")
                .contains("alert: 410 Gone", "alert: no such page")
                .hasSize(6);
    }

    @Test
    void metrics_without_the_server() throws Exception {
        assertThat(linesOf(Metrics::main)).containsExactly("enqueued: 1.0");
    }

    @Test
    void events_are_heard_and_stored() throws Exception {
        assertThat(linesOf(Listening::main))
                .containsExactlyInAnyOrder(
                        "heard: brew@1 succeeded",
                        "Brewed[tea=oolong]",
                        "stored: created",
                        "stored: started",
                        "stored: progress",
                        "stored: custom",
                        "stored: succeeded");
    }

    private static List<String> linesOf(Program program) throws Exception {
        PrintStream before = System.out;
        var printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            program.run(new String[0]);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
