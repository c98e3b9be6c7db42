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

/** A worker process is killed in the middle of a job; another one goes on behind the steps that were done. */
public final class SurvivingSteps {
    private SurvivingSteps() {}

    record Import(String url) {}

    record Imported(int rows, int run) {}

    // region steps
    static final JobDefinition<Import, Imported> IMPORT = JobDefinition.of("import", Import.class, Imported.class)
            .handler((params, context) -> {
                // Stored when it is done: later runs get the result, on whatever machine, and do not download again.
                String file = context.step("download", String.class, () -> download(params.url(), context));
                int rows = context.step("load", Integer.class, () -> load(file, context));
                return new Imported(rows, context.run());
            });
    // endregion

    private static String download(String url, JobContext context) throws SQLException {
        execute(context.dataSource(), "insert into downloads default values");
        return "/tmp/" + url.hashCode();
    }

    /** The first run comes to no end here, so that there is a worker to kill. */
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

    /** The program of a worker. It ends when its standard input does, so that it never outlives whoever started it. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws IOException {
            try (var database = ExampleDatabase.open();
                    var longhaul = Longhaul.builder()
                            .postgres(database.dataSource())
                            .register(IMPORT)
                            .lease(ofSeconds(1)) // 15 s unless said; here nobody wants to wait
                            .start()) {
                System.out.println("working: " + longhaul.health());
                while (System.in.read() != -1) {
                    // Nothing to say but the end.
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
                throw new IOException("the worker has ended by itself");
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
