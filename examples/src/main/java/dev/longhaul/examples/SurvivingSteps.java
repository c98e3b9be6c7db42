package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** A worker process is killed in the middle of a job; another worker resumes after the finished steps. */
public final class SurvivingSteps {
    private SurvivingSteps() {}

    record Import(String url) {}

    record Imported(int rows, int run) {}

    // region steps
    static final JobDefinition<Import, Imported> IMPORT = JobDefinition.of("import", Import.class, Imported.class)
            .handler((params, context) -> {
                // The result is stored. Later runs, on any machine, get it and do not download again.
                String file = context.step("download", String.class, () -> download(params.url(), context));
                int rows = context.step("load", Integer.class, () -> load(file, context));
                return new Imported(rows, context.run());
            });
    // endregion

    private static String download(String url, JobContext context) throws SQLException {
        execute(context.dataSource(), "insert into downloads default values");
        return "/tmp/" + url.hashCode();
    }

    /** The first run never ends here, so that there is a worker to kill. */
    private static int load(String file, JobContext context) throws InterruptedException {
        System.out.println("loading " + file);
        if (context.run() == 1) {
            new CountDownLatch(1).await();
        }
        return 42;
    }

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open();
                var longhaul = Longhaul.builder()
                        .postgres(database.dataSource())
                        .register(IMPORT)
                        .enqueueOnly()
                        .start()) {
            execute(database.dataSource(), "drop table if exists downloads");
            execute(database.dataSource(), "create table downloads (at timestamptz default now())");
            JobId id = longhaul.later(IMPORT, new Import("https://example.org/rows.csv"));

            Process first = startWorker(database.url());
            awaitLine(first, "loading");
            first.destroyForcibly().waitFor(); // kill -9
            System.out.println("killed the first worker");

            Process second = startWorker(database.url());
            try {
                System.out.println(longhaul.await(IMPORT, id, ofMinutes(1)).orThrow());
                System.out.println("downloads: " + count(database.dataSource()));
            } finally {
                second.getOutputStream().close();
                second.waitFor();
            }
        }
    }

    /** The program of a worker. It exits when its standard input is closed, so that it never outlives its parent. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws IOException {
            try (var database = ExampleDatabase.open();
                    var longhaul = Longhaul.builder()
                            .postgres(database.dataSource())
                            .register(IMPORT)
                            .lease(ofSeconds(1)) // the default is 15 s; shorter, so that the example is quick
                            .start()) {
                System.out.println("working: " + longhaul.health());
                while (System.in.read() != -1) {
                    // Wait for the end of the input.
                }
            }
        }
    }

    private static Process startWorker(String url) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("java.class.path");
        return new ProcessBuilder(java, "-cp", classPath, "-Ddatabase.url=" + url, Worker.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void awaitLine(Process process, String start) throws IOException {
        String line;
        do {
            line = process.inputReader().readLine();
            if (line == null) {
                throw new IOException("the worker has exited");
            }
        } while (!line.startsWith(start));
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from downloads")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
