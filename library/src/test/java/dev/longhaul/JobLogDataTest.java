package dev.longhaul;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.Secret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Structured data of log lines: stored with the line, without secrets, within the limit of a run's log. */
class JobLogDataTest {
    private static final String SECRET = "s3cret-c4nary";
    private static final int LINES = 800;

    record Login(@Secret String password, boolean much) {}

    private final JobDefinition<Login, Void> definition = JobDefinition.of("test.data", Login.class, Void.class)
            .handler((params, context) -> {
                if (params.much()) {
                    JobLog log = context.log().with("big", "x".repeat(15_000));
                    for (int i = 0; i < LINES; i++) {
                        log.info("line {}", i);
                    }
                } else {
                    context.log()
                            .with("file", "a.csv")
                            .with("tried", Map.of("with", "it is " + params.password()))
                            .with(params.password(), 1024)
                            .warn("uploaded {}", params.password());
                }
                return null;
            });
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            super.append(event);
        }
    };
    private final Logger logger = (Logger) LoggerFactory.getLogger("longhaul.job.test.data");

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void detach() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    private List<String> payloads(boolean much) throws Exception {
        try (var longhaul = Longhaul.builder().memory().register(definition).start()) {
            JobId id = longhaul.later(definition, new Login(SECRET, much));
            assertThat(longhaul.await(definition, id, Duration.ofMinutes(1)).status())
                    .isEqualTo(JobStatus.SUCCEEDED);
            var payloads = new ArrayList<String>();
            EventQuery query = EventQuery.of(id).types(EventType.LOG);
            for (List<JobEvent> page = longhaul.store().jobs().events(query);
                    !page.isEmpty();
                    page = longhaul.store().jobs().events(query)) {
                page.forEach(event -> payloads.add(event.payload()));
                query = query.after(page.get(page.size() - 1).position());
            }
            return payloads;
        }
    }

    @Test
    void is_stored_and_logged_without_secrets() throws Exception {
        assertThat(payloads(false))
                .containsExactly("{\"level\":\"warn\",\"message\":\"uploaded ***\","
                        + "\"data\":{\"file\":\"a.csv\",\"tried\":{\"with\":\"it is ***\"},\"***\":1024}}");
        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getFormattedMessage()).isEqualTo("uploaded ***");
            assertThat(event.getKeyValuePairs())
                    .extracting(pair -> pair.key + "=" + pair.value)
                    .containsExactly("file=a.csv", "tried={\"with\":\"it is ***\"}", "***=1024");
            assertThat(event.getMDCPropertyMap()).containsKey("jobId");
        });
    }

    @Test
    void counts_for_the_limit_of_a_runs_log() throws Exception {
        List<String> payloads = payloads(true);
        int fitting = (10 << 20) / 15_020;
        assertThat(payloads).hasSizeBetween(fitting - 5, fitting + 10);
        assertThat(payloads.get(payloads.size() - 1)).contains("the log of this run is full at 10 MiB");
        assertThat(logged.list).as("the worker's own log has no such limit").hasSize(LINES);
    }
}
