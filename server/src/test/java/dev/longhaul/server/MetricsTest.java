package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.observe.Meters;
import dev.longhaul.server.tracing.SpanExport;
import dev.longhaul.server.tracing.TraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(?:[a-zA-Z_][a-zA-Z0-9_]*=\"[^\"]*\",?)*})? (\\S+)");

    private static final Path DEPLOY = Path.of("..", "deploy");

    private final MemoryStore jobs = new MemoryStore();
    private final Meters meters = new Meters(PrometheusRegistry.create());
    private final Longhaul longhaul = Longhaul.builder()
            .store(jobs)
            .observe(meters)
            .register(
                    JobDefinition.of("test.echo", Map.class, Map.class).handler((params, run) -> params),
                    JobDefinition.of("test.fail", Map.class, Void.class)
                            .maxAttempts(2)
                            .handler((params, run) -> {
                                throw new IllegalStateException("no luck");
                            }))
            .start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE.withMeters(meters));
    private final Api api = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
        jobs.close();
    }

    private String start(String more) {
        return api.post("/v1/jobs", "{" + more + "}").json().path("jobId").asText();
    }

    private void drained() {
        while (!jobs.jobs()
                .list(JobQuery.where()
                        .statuses(JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.RETRYING, JobStatus.CANCELLING)
                        .build())
                .jobs()
                .isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Waits for the value, because metrics are counted shortly after a change is stored. */
    private Map<String, Double> scrapedOnce(String name, double value) {
        Map<String, Double> found = scraped();
        while (found.getOrDefault(name, 0.0) < value) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            found = scraped();
        }
        return found;
    }

    private Map<String, Double> scraped() {
        var samples = new HashMap<String, Double>();
        for (String line : api.get("/metrics").body().split("\n", -1)) {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                samples.put(
                        sample.group(1) + (sample.group(2) == null ? "" : sample.group(2)),
                        Double.valueOf(sample.group(3)));
            }
        }
        return samples;
    }

    @Test
    void counters_equal_the_stored_counts_once_all_is_done() {
        for (int i = 0; i < 50; i++) {
            start("\"definitionKey\":\"test.echo\"");
        }
        for (int i = 0; i < 5; i++) {
            start("\"definitionKey\":\"test.fail\",\"maxAttempts\":1");
        }
        String id = start("\"definitionKey\":\"test.echo\",\"delaySeconds\":3600");
        api.post("/v1/jobs/" + id + "/cancel", null);
        api.post("/v1/jobs/" + id + "/cancel", null);
        start("\"definitionKey\":\"test.echo\",\"delaySeconds\":3600,\"queue\":\"later\"");
        drained();

        scrapedOnce("longhaul_jobs_failed_total{definition=\"test.fail\"}", 5);
        Map<String, Double> found = scrapedOnce("longhaul_jobs_succeeded_total{definition=\"test.echo\"}", 50);
        assertThat(found)
                .containsEntry("longhaul_jobs_enqueued_total{definition=\"test.echo\"}", 52.0)
                .containsEntry("longhaul_jobs_claimed_total{definition=\"test.echo\"}", 50.0)
                .containsEntry("longhaul_jobs_succeeded_total{definition=\"test.echo\"}", 50.0)
                .containsEntry("longhaul_jobs_cancelled_total{definition=\"test.echo\"}", 1.0)
                .containsEntry("longhaul_jobs_failed_total{definition=\"test.fail\"}", 5.0)
                .containsEntry("longhaul_job_run_seconds_count{definition=\"test.echo\"}", 50.0)
                .containsEntry("longhaul_job_wait_seconds_count{definition=\"test.fail\"}", 5.0)
                .containsEntry("longhaul_queue_jobs{queue=\"later\",status=\"scheduled\"}", 1.0);
    }

    @Test
    void queues_beyond_the_limit_are_reported_together() {
        String more = IntStream.range(0, 210)
                .mapToObj(i -> "{\"definitionKey\":\"test.echo\",\"hold\":true,\"queue\":\"queue-" + i + "\"}")
                .collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
        assertThat(api.post("/v1/jobs/batch", more).status()).isEqualTo(202);

        Map<String, Double> found = scraped();
        assertThat(found.keySet().stream().filter(name -> name.startsWith("longhaul_queue_oldest_due_seconds")))
                .hasSize(201);
        assertThat(found.entrySet().stream()
                        .filter(one -> one.getKey().startsWith("longhaul_queue_jobs"))
                        .mapToDouble(Map.Entry::getValue)
                        .sum())
                .isEqualTo(210);
        assertThat(found).containsKey("longhaul_queue_jobs{queue=\"(other)\",status=\"created\"}");
    }

    @Test
    void a_paused_queue_is_reported_and_its_waiting_jobs_cause_no_alert() throws IOException {
        api.post("/v1/queues/default/pause", "{}");
        start("\"definitionKey\":\"test.echo\"");
        assertThat(scraped())
                .containsEntry("longhaul_queue_paused{queue=\"default\"}", 1.0)
                .containsEntry("longhaul_queue_jobs{queue=\"default\",status=\"queued\"}", 1.0);

        String alerts = Files.readString(DEPLOY.resolve("prometheus/alerts.yml"));
        List<String> aboutQueues =
                alerts.lines().filter(line -> line.contains("longhaul_queue_")).toList();
        assertThat(aboutQueues)
                .hasSize(2)
                .allMatch(line -> line.contains("unless on (queue) max by (queue) (longhaul_queue_paused) == 1"));
    }

    /** Otherwise rare but regular events leave the window before the alert has been pending for long enough. */
    @Test
    void alerts_look_back_for_much_longer_than_they_wait() throws IOException {
        int checked = 0;
        for (String alert : alerts()) {
            Matcher waits = Pattern.compile("for: (\\d+)m").matcher(alert);
            int minutes = waits.find() ? Integer.parseInt(waits.group(1)) : 0;
            Matcher window = Pattern.compile("\\[(\\d+)([mh])]").matcher(alert);
            while (window.find()) {
                int back = Integer.parseInt(window.group(1)) * (window.group(2).equals("h") ? 60 : 1);
                assertThat(back).as(alert).isGreaterThanOrEqualTo(2 * minutes);
                checked++;
            }
        }
        assertThat(checked).isPositive();
    }

    /** Workers that only call over RPC need not report themselves. */
    @Test
    void the_alert_of_missing_workers_is_silent_while_jobs_are_claimed_or_run() throws IOException {
        assertThat(alerts())
                .filteredOn(alert -> alert.contains("longhaul_workers"))
                .hasSize(1)
                .allMatch(alert -> alert.contains("unless (sum(rate(longhaul_jobs_claimed_total[5m])) > 0"
                        + " or sum(max by (queue) (longhaul_queue_jobs{status=~\"running|cancelling\"})) > 0)"));
    }

    private static List<String> alerts() throws IOException {
        String[] parts =
                Files.readString(DEPLOY.resolve("prometheus/alerts.yml")).split("- alert: ", -1);
        return Arrays.stream(parts).skip(1).toList();
    }

    @Test
    void schedules_leadership_and_streams_are_reported() {
        api.post("/v1/schedules", "{\"key\":\"often\",\"definitionKey\":\"test.echo\",\"everySeconds\":1}");
        scrapedOnce("longhaul_schedule_fires_total{outcome=\"created\"}", 1);
        Map<String, Double> found = scrapedOnce("longhaul_jobs_succeeded_total{definition=\"test.echo\"}", 1);
        assertThat(found)
                .containsEntry("longhaul_leader", 1.0)
                .containsEntry("longhaul_streams", 0.0)
                .containsEntry("longhaul_schedule_fires_total{outcome=\"refused\"}", 0.0)
                .containsKey("longhaul_processes_killed_total")
                .containsKey("longhaul_database_partitions");
        assertThat(found.get("longhaul_schedule_lateness_seconds_count")).isPositive();
        assertThat(found.get("longhaul_jobs_enqueued_total{definition=\"test.echo\"}"))
                .isGreaterThanOrEqualTo(found.get("longhaul_jobs_succeeded_total{definition=\"test.echo\"}"));
    }

    /** Promtool's checks: help and type before samples, names by type, no duplicate samples; and no ids in labels. */
    @Test
    void the_text_has_the_format_of_prometheus() {
        String id = start("\"definitionKey\":\"test.echo\"");
        drained();
        String text = api.get("/metrics").body();

        var types = new HashMap<String, String>();
        var samples = new HashSet<String>();
        for (String line : text.split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ", -1);
                assertThat(types.put(words[2], words[3])).as(line).isNull();
                assertThat(words[3].equals("counter")).as(line).isEqualTo(words[2].endsWith("_total"));
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                assertThat(samples.add(sample.group(1) + sample.group(2)))
                        .as(line)
                        .isTrue();
                String family = sample.group(1).replaceAll("_(bucket|sum|count)$", "");
                assertThat(types.containsKey(sample.group(1)) || types.containsKey(family))
                        .as(line)
                        .isTrue();
            }
        }
        assertThat(text).doesNotContain(id);
        assertThat(Arrays.stream(text.split("\n", -1))
                        .filter(line -> line.startsWith("# HELP"))
                        .count())
                .isEqualTo(types.size());
        assertThat(List.copyOf(types.keySet())).anyMatch(name -> name.startsWith("longhaul_store_operation"));
    }

    /** Every metric that the dashboard and the alerts query exists. */
    @Test
    void the_dashboard_and_the_alerts_query_existing_metrics() throws IOException {
        start("\"definitionKey\":\"test.echo\"");
        start("\"definitionKey\":\"test.fail\",\"maxAttempts\":1");
        scrapedOnce("longhaul_jobs_failed_total{definition=\"test.fail\"}", 1);
        scrapedOnce("longhaul_jobs_succeeded_total{definition=\"test.echo\"}", 1);
        Set<String> there = names();

        for (String file : List.of("prometheus/alerts.yml", "grafana/longhaul.json")) {
            assertThat(there).as(file).containsAll(askedFor(file));
            assertThat(askedFor(file)).as(file).hasSizeGreaterThan(5);
        }
    }

    @Test
    void the_dashboard_shows_every_metric_of_longhaul() throws IOException {
        Set<String> shown = askedFor("grafana/longhaul.json");
        assertThat(names())
                .filteredOn(name -> name.startsWith("longhaul_"))
                .map(name -> name.replaceAll("_(bucket|sum|count|max)$", ""))
                .allMatch(name -> shown.stream().anyMatch(one -> one.startsWith(name)));
        assertThat(shown).contains("hikaricp_connections_active");

        JsonNode panels = Api.JSON
                .readTree(DEPLOY.resolve("grafana/longhaul.json").toFile())
                .path("panels");
        var ids = new HashSet<Integer>();
        var places = new HashSet<JsonNode>();
        for (JsonNode panel : panels) {
            assertThat(ids.add(panel.path("id").asInt())).as(panel.toString()).isTrue();
            assertThat(places.add(panel.path("gridPos"))).as(panel.toString()).isTrue();
        }
    }

    @Test
    void the_reference_lists_every_metric() throws IOException {
        Set<String> listed = Pattern.compile("`(longhaul_[a-z_]+)`")
                .matcher(Files.readString(DEPLOY.resolveSibling("docs/reference/metrics.md")))
                .results()
                .map(metric -> metric.group(1))
                .collect(Collectors.toSet());
        start("\"definitionKey\":\"test.echo\"");
        start("\"definitionKey\":\"test.fail\",\"maxAttempts\":1");
        scrapedOnce("longhaul_jobs_failed_total{definition=\"test.fail\"}", 1);
        scrapedOnce("longhaul_jobs_succeeded_total{definition=\"test.echo\"}", 1);
        Set<String> real = names().stream()
                .filter(name -> name.startsWith("longhaul_"))
                .map(name -> name.replaceAll("_(bucket|sum|count|max)$", ""))
                .collect(Collectors.toSet());

        assertThat(listed).containsAll(real);
    }

    private Set<String> askedFor(String file) throws IOException {
        return Pattern.compile("(longhaul|hikaricp)_[a-z_]+")
                .matcher(Files.readString(DEPLOY.resolve(file)))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    /** Metrics of a server started by the command: it has a connection pool and a span export. */
    private Set<String> names() {
        var config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/nobody");
        config.setInitializationFailTimeout(-1);
        config.setMinimumIdle(0);
        config.setMetricRegistry(meters.registry());
        SpanExport.start(TraceConfig.OFF, meters.registry()).close();
        try (var pool = new HikariDataSource(config)) {
            assertThat(pool.isRunning()).isTrue();
            return scraped().keySet().stream()
                    .map(sample -> sample.replaceAll("\\{.*", ""))
                    .collect(Collectors.toSet());
        }
    }
}
