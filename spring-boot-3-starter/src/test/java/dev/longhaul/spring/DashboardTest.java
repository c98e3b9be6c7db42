package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spring.web.WebApi;
import java.io.InputStream;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** The dashboard of an application with the Spring Security that Spring Boot configures: a login page and HTTP basic. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class DashboardTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private @Nullable ConfigurableApplicationContext context;

    enum Stack {
        TOMCAT(WebApplicationType.SERVLET, "server.servlet.context-path=/shop"),
        NETTY(WebApplicationType.REACTIVE, "spring.webflux.base-path=/shop");

        final WebApplicationType type;
        final String basePath;

        Stack(WebApplicationType type, String basePath) {
            this.type = type;
            this.basePath = basePath;
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Store store() {
            return new MemoryStore();
        }

        @Bean
        JobDefinition<String, String> greet() {
            return JobDefinition.of("greet", String.class, String.class).handler((name, context) -> name);
        }

        private static UserDetails[] users() {
            return Stream.of("LONGHAUL_VIEWER", "OPS", "CUSTOMER")
                    .map(role -> User.withUsername(role.toLowerCase(Locale.ROOT))
                            .password("{noop}secret")
                            .roles(role)
                            .build())
                    .toArray(UserDetails[]::new);
        }

        @Bean
        UserDetailsService userDetails() {
            return new InMemoryUserDetailsManager(users());
        }

        @Bean
        MapReactiveUserDetailsService reactiveUserDetails() {
            return new MapReactiveUserDetailsService(users());
        }
    }

    /** A user's browser; the password is that of {@link App#users}. */
    private final class Browser {
        private final HttpClient http =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        private final @Nullable String user;

        Browser(@Nullable String user) {
            this.user = user;
        }

        HttpRequest.Builder request(String path) {
            String port = context().getEnvironment().getRequiredProperty("local.server.port");
            var request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/shop/jobs" + path))
                    .timeout(Duration.ofSeconds(20));
            if (user != null) {
                byte[] basic = (user + ":secret").getBytes(StandardCharsets.UTF_8);
                request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(basic));
            }
            return request;
        }

        HttpResponse<String> get(String path) throws Exception {
            return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
        }

        /** With the CSRF token of the session, as the dashboard sends it. */
        HttpResponse<String> post(String path) throws Exception {
            JsonNode csrf = JSON.readTree(get("/v1/session").body()).get("csrf");
            return http.send(
                    request(path)
                            .header("Content-Type", "application/json")
                            .header(
                                    csrf.get("header").asText(),
                                    csrf.get("token").asText())
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }

        HttpResponse<InputStream> stream(String path) throws Exception {
            return http.send(
                    request(path).header("Accept", "text/event-stream").build(),
                    HttpResponse.BodyHandlers.ofInputStream());
        }
    }

    private ConfigurableApplicationContext context() {
        return Objects.requireNonNull(context);
    }

    private Longhaul start(Stack stack) {
        context = new SpringApplicationBuilder(App.class)
                .web(stack.type)
                .properties(
                        TestContexts.NO_DATA_SOURCE,
                        stack.basePath,
                        "server.port=0",
                        "longhaul.dashboard.enabled=true",
                        "longhaul.dashboard.path=/jobs/",
                        "longhaul.dashboard.roles[ROLE_OPS]=operator")
                .run();
        return context.getBean(Longhaul.class);
    }

    @AfterEach
    void stop() {
        context().close();
    }

    @ParameterizedTest
    @EnumSource
    void the_applications_users_have_the_roles_of_their_authorities(Stack stack) throws Exception {
        Longhaul longhaul = start(stack);
        JobId id = longhaul.later("greet", "Ann", JobOptions.options().delay(Duration.ofHours(1)));

        assertThat(new Browser(null).get("/v1/jobs").statusCode()).isEqualTo(401);
        assertThat(new Browser("customer").get("/v1/jobs").statusCode()).isEqualTo(403);
        assertThat(new Browser("longhaul_viewer").get("/v1/jobs").body()).contains(id.toString());

        HttpResponse<String> refused = new Browser("longhaul_viewer").post("/v1/jobs/" + id + "/cancel");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("submitter");
        assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.SCHEDULED);

        assertThat(new Browser("ops").post("/v1/jobs/" + id + "/cancel").statusCode())
                .isBetween(200, 202);
        assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource
    void the_pages_are_below_the_applications_path(Stack stack) throws Exception {
        start(stack);
        HttpResponse<String> moved = new Browser("ops").get("");
        assertThat(moved.statusCode()).isEqualTo(303);
        assertThat(moved.headers().firstValue("Location")).hasValue("jobs/");
        HttpResponse<String> page = new Browser("ops").get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<title>");
    }

    @Test
    void an_open_stream_does_not_hold_up_the_shutdown() throws Exception {
        start(Stack.TOMCAT);
        HttpResponse<InputStream> stream = new Browser("ops").stream("/v1/events");
        assertThat(stream.statusCode()).isEqualTo(200);
        long began = System.nanoTime();
        context().close();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
        assertThat(new String(stream.body().readAllBytes(), StandardCharsets.UTF_8))
                .contains("event: drain");
    }

    /** Tomcat otherwise sends the error to the application's error page, which cannot be written to such a response. */
    @Test
    @Timeout(60)
    void a_stream_that_its_client_closes_logs_nothing(CapturedOutput output) throws Exception {
        Longhaul longhaul = start(Stack.TOMCAT);
        WebApi api = context().getBean(WebApi.class);
        HttpResponse<InputStream> stream = new Browser("ops").stream("/v1/events");
        assertThat(stream.statusCode()).isEqualTo(200);
        stream.body().close();
        while (api.streams() > 0) {
            longhaul.later("greet", "Ann");
        }
        context().close();
        assertThat(output.getAll()).doesNotContain("HttpMessageNotWritableException", "response committed already");
    }
}
