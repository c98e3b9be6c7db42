package dev.longhaul.kubernetes;

import dev.longhaul.Isolation;
import dev.longhaul.Longhaul;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** A worker with pods in a JVM of its own: arguments are the database, the kubeconfig, the id and the slots. */
final class PodWorkerProgram {
    private PodWorkerProgram() {}

    public static void main(String[] arguments) throws IOException {
        var executor = new PodExecutor(Cluster.open(arguments[1], "test"), PodBench.settings());
        try (var pool = TestPostgres.pool(arguments[0], 10);
                Longhaul worker = Longhaul.builder()
                        .postgres(pool)
                        .workerId(arguments[2])
                        .register(PodBench.SHELL, PodBench.RETRIED)
                        .executor(Isolation.KUBERNETES, executor)
                        .slots(Integer.parseInt(arguments[3]))
                        .drain(Duration.ofSeconds(10))
                        .noMaintenance()
                        .start()) {
            System.out.println("ready " + worker.health().healthy());
            // Ends when the test closes this program's input.
            long read = System.in.transferTo(OutputStream.nullOutputStream());
            System.out.println("ends after " + read);
        }
    }
}
