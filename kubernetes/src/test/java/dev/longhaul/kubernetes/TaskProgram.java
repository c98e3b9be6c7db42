package dev.longhaul.kubernetes;

import dev.longhaul.Isolation;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.client.TaskRun;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The main class of the image with the handlers of {@link HandlerPodTest}. */
final class TaskProgram {
    /** What the handler does besides its steps. */
    record Order(String what, String file) {}

    record Report(int rows, String text) {}

    static final JobDefinition<Order, Report> REPORT = JobDefinition.of("report", Order.class, Report.class)
            .isolation(Isolation.pod(PodBench.IMAGE))
            .maxAttempts(3)
            .retry(RetryPolicy.of(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10))))
            .handler(TaskProgram::run);

    private TaskProgram() {}

    public static void main(String[] arguments) throws IOException {
        TaskRun.main(List.of(REPORT));
    }

    private static Report run(Order order, JobContext context) throws Exception {
        Path file = Path.of(order.file());
        int counted = context.step("count", Integer.class, () -> {
            Files.writeString(file, "counted;", java.nio.file.StandardOpenOption.APPEND);
            return 41;
        });
        context.progress(50, "half");
        context.log().info("counted {}", counted);
        System.out.println("printed " + context.attempt());
        switch (order.what()) {
            case "fail once" -> {
                if (context.attempt() == 1) {
                    throw new IllegalStateException("the first attempt fails");
                }
            }
            case "exit" -> System.exit(0);
            case "halt" -> Runtime.getRuntime().halt(9);
            case "wait" -> {
                while (Files.readString(file).length() < "counted;go".length()) {
                    context.throwIfCancelled();
                    TimeUnit.MILLISECONDS.sleep(20);
                }
            }
            default -> {}
        }
        return new Report(counted + 1, "x".repeat(10_000));
    }
}
