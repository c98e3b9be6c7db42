package dev.longhaul.faults;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A worker as users run it: a process with a Longhaul that closes on SIGTERM. */
final class WorkerProgram {
    private WorkerProgram() {}

    /** Takes a database, the worker's id and settings, and the keys of its definitions. */
    public static void main(String[] arguments) throws IOException {
        String url = arguments[0];
        String id = arguments[1];
        int slots = Integer.parseInt(arguments[2]);
        HikariDataSource pool = TestPostgres.pool(new PatientDataSource(url), 8);
        var tasks = new Tasks(new Journal(url, id, Math.min(slots, 8)));
        List<String> keys = List.of(arguments[5].split(","));
        JobDefinition<?, ?>[] known = tasks.all().stream()
                .filter(definition -> keys.contains(definition.ref().key()))
                .toArray(JobDefinition[]::new);
        Longhaul.builder()
                .postgres(pool)
                .register(known)
                .workerId(id)
                .slots(slots)
                .lease(Duration.ofMillis(Long.parseLong(arguments[3])))
                .drain(Duration.ofMillis(Long.parseLong(arguments[4])))
                .closeOnShutdown()
                .start();
        System.out.println("ready");
        // The parent process holds the other end; when the parent ends, this worker ends.
        while (System.in.read() >= 0) {}
        Runtime.getRuntime().halt(3);
    }
}
