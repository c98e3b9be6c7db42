package dev.longhaul.examples;

// region first-job
import static java.time.Duration.ofMinutes;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;

public final class FirstJob {
    record Greet(String name) {}

    static final JobDefinition<Greet, String> GREET = JobDefinition.of("greet", Greet.class, String.class)
            .handler((params, context) -> "Hello, " + params.name() + "!");

    private FirstJob() {}

    public static void main(String[] arguments) throws InterruptedException {
        var pool = new HikariDataSource();
        pool.setJdbcUrl(arguments[0]); // jdbc:postgresql://localhost:5432/app?user=app&password=…
        try (pool;
                var longhaul = Longhaul.builder().postgres(pool).register(GREET).start()) {
            JobId id = longhaul.later(GREET, new Greet("Ann")); // committed: it runs even if this process is killed
            System.out.println(longhaul.await(GREET, id, ofMinutes(1)).orThrow());
        }
    }
}
// endregion
