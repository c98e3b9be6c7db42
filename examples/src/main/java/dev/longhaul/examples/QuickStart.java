package dev.longhaul.examples;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import javax.sql.DataSource;

/** A definition with a timeout and attempts, whose handler logs and reports progress. */
public final class QuickStart {
    private QuickStart() {}

    // region definition
    record Transcode(String url, String preset) {}

    record Transcoded(String output, long bytes) {}

    static final JobDefinition<Transcode, Transcoded> TRANSCODE = JobDefinition.of(
                    "video.transcode", Transcode.class, Transcoded.class)
            .timeout(ofHours(1))
            .maxAttempts(5)
            .handler((params, context) -> {
                context.log().info("encoding {}", params.url());
                context.progress(40, "encoding");
                return new Transcoded(params.url() + "." + params.preset(), 1_048_576);
            });
    // endregion

    static JobResult<Transcoded> transcode(DataSource dataSource) throws InterruptedException {
        try (var longhaul =
                Longhaul.builder().postgres(dataSource).register(TRANSCODE).start()) {
            JobId id = longhaul.later(TRANSCODE, new Transcode("s3://in/cat.mov", "hd")); // committed: it will run
            return longhaul.await(TRANSCODE, id, ofMinutes(10));
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open()) {
            System.out.println(transcode(database.dataSource()).orThrow());
        }
    }
}
