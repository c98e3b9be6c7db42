package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;

@Tag("full")
class ActuatorTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext context;
    private static Longhaul longhaul;

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        JobDefinition<String, String> greet() {
            return JobDefinition.of("greet", String.class, String.class)
                    .queue("mail")
                    .handler((name, context) -> "Hello, " + name);
        }

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .csrf(CsrfConfigurer::disable)
                    .build();
        }

        @Bean
        ObservationRegistry observations() {
            return TestObservationRegistry.create();
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(App.class)
                .properties(
                        "spring.datasource.url=" + TestContexts.newDatabase(),
                        "server.port=0",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.longhaul.access=unrestricted",
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.health.group.readiness.include=readinessState,longhaul",
                        "longhaul.metrics.refresh=100ms")
                .run();
        longhaul = context.getBean(Longhaul.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        return send(context, method, path);
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext context, String method, String path)
            throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path))
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void health_and_readiness_include_longhaul() throws Exception {
        assertThat(send("GET", "health").body()).contains("\"longhaul\":{", "\"detail\":\"ok\"");
        assertThat(send("GET", "health/readiness").body()).contains("\"longhaul\"");
        assertThat(send("GET", "health/readiness").statusCode()).isEqualTo(200);
    }

    @Test
    void the_endpoint_shows_queues_workers_and_definitions() throws Exception {
        run();
        String body = send("GET", "longhaul").body();
        assertThat(body).contains("\"healthy\":true", "\"greet@1\"", "\"name\":\"mail\"", "\"state\":\"active\"");
    }

    @Test
    void a_queue_is_paused_and_resumed() throws Exception {
        run();
        assertThat(send("POST", "longhaul/mail/pause").statusCode()).isEqualTo(204);
        assertThat(send("GET", "longhaul/mail").body()).contains("\"paused\":true");
        assertThat(send("POST", "longhaul/mail/resume").statusCode()).isEqualTo(204);
        assertThat(send("GET", "longhaul/mail").body()).contains("\"paused\":false");
        assertThat(send("GET", "longhaul/unknown").statusCode()).isEqualTo(404);
        assertThat(send("POST", "longhaul/mail/explode").statusCode()).isEqualTo(400);
    }

    @Test
    void by_default_the_endpoint_only_reads() throws Exception {
        try (ConfigurableApplicationContext open = new SpringApplicationBuilder(App.class)
                .initializers(
                        one -> ((GenericApplicationContext) one).registerBean(Store.class, () -> new MemoryStore()))
                .properties(TestContexts.NO_DATA_SOURCE, "server.port=0", "management.endpoints.web.exposure.include=*")
                .run()) {
            open.getBean(Longhaul.class).later("greet", "Ann");
            assertThat(send(open, "GET", "longhaul/mail").statusCode()).isEqualTo(200);
            assertThat(send(open, "POST", "longhaul/mail/pause").statusCode()).isIn(404, 405);
            assertThat(send(open, "GET", "longhaul/mail").body()).contains("\"paused\":false");
        }
    }

    @Test
    void metrics_have_the_names_of_the_server() throws Exception {
        run();
        var registry = context.getBean(MeterRegistry.class);
        assertThat(registry.get("longhaul.jobs.enqueued")
                        .tag("definition", "greet")
                        .counter()
                        .count())
                .isPositive();
        while (registry.find("longhaul.queue.jobs").tag("queue", "mail").gauge() == null) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(send("GET", "prometheus").body())
                .contains(
                        "longhaul_jobs_enqueued_total{definition=\"greet\"",
                        "longhaul_queue_jobs{",
                        "longhaul_workers{");
    }

    @Test
    void a_run_is_observed() throws Exception {
        var registry = (TestObservationRegistry) context.getBean(ObservationRegistry.class);
        Observation.createNotStarted("request", registry).observeChecked(ActuatorTest::run);
        TestObservationRegistryAssert.assertThat(registry)
                .hasObservationWithNameEqualTo("longhaul.enqueue")
                .that()
                .hasBeenStopped();
        TestObservationRegistryAssert.assertThat(registry)
                .hasAnObservationWithAKeyValue("longhaul.definition", "greet");
    }

    private static void run() throws InterruptedException {
        JobId id = longhaul.later("greet", "Ann");
        TestContexts.ended(longhaul, TestContexts.definition(longhaul, "greet"), id);
    }
}
