package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.cli.launch.process.Termination;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals are sent with kill")
class TerminationTest {
    private static final int SIGTERM = 143;

    @Test
    void ends_a_process_that_does_not_end_by_itself() throws Exception {
        assertThat(afterSigterm("stuck")).isEqualTo(SIGTERM);
    }

    @Test
    void ends_a_process_whose_heap_fills_up_while_it_closes() throws Exception {
        assertThat(afterSigterm("full")).isEqualTo(SIGTERM);
    }

    private static int afterSigterm(String how) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stubborn.class.getName(),
                        how)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("ready");
            process.destroy();
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Never closes; or takes all memory first, so that no thread can allocate. */
    static final class Stubborn {
        static final List<byte[]> KEPT = new ArrayList<>();

        private Stubborn() {}

        public static void main(String[] arguments) throws InterruptedException {
            Termination termination = Termination.onSignals(Duration.ofMillis(300));
            System.out.println("ready");
            termination.await();
            while (true) {
                try {
                    if (arguments[0].equals("full")) {
                        KEPT.add(new byte[10_000]);
                    } else {
                        Thread.sleep(1000);
                    }
                } catch (OutOfMemoryError e) {
                    // Keeps the memory and allocates again.
                }
            }
        }
    }
}
