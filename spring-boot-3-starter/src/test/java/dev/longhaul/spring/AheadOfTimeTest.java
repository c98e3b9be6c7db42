package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** Processes an application ahead of time, as for a native image, and runs what was generated on the JVM. */
@Tag("full")
class AheadOfTimeTest {
    public record Welcome(String address) {}

    public record Sent(String id) {}

    public record Page(int number) {}

    public static class Mails {
        @LonghaulJob(key = "mail.send")
        public Sent send(Welcome welcome) {
            return new Sent(welcome.address());
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    public static class App {
        @Bean
        public Store store() {
            return new MemoryStore();
        }

        @Bean
        public Mails mails() {
            return new Mails();
        }

        @Bean
        public JobDefinition<Page, Void> print() {
            return JobDefinition.of("page.print", Page.class, Void.class).handler((page, context) -> null);
        }

        @Bean
        public JobClientHolder holder(JobClient<Welcome, Sent> client) {
            return new JobClientHolder(client);
        }
    }

    public record JobClientHolder(JobClient<Welcome, Sent> client) {}

    private static GenericApplicationContext context() {
        var context = new GenericApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "spring.autoconfigure.exclude",
                                TestContexts.NO_DATA_SOURCE.substring(TestContexts.NO_DATA_SOURCE.indexOf('=') + 1),
                                "spring.main.web-application-type",
                                "none")));
        return context;
    }

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked")
    void the_generated_context_runs_jobs_and_has_hints_for_their_types() {
        GenericApplicationContext source = context();
        AnnotationConfigUtils.registerAnnotationConfigProcessors(source);
        new AnnotatedBeanDefinitionReader(source).register(App.class);
        var generation = new TestGenerationContext();
        var name = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        generation.writeGeneratedContent();

        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(reflection().onType(Welcome.class)).accepts(hints);
        assertThat(reflection().onType(Sent.class)).accepts(hints);
        assertThat(reflection().onType(Page.class)).accepts(hints);
        assertThat(hints.reflection()
                        .typeHints()
                        .filter(type -> type.getType().equals(TypeReference.of(Mails.class)))
                        .flatMap(TypeHint::methods))
                .anySatisfy(method -> assertThat(method.getName()).isEqualTo("send"));
        assertThat(resource().forResource("dev/longhaul/postgres/sql/job/insert.sql"))
                .accepts(hints);
        assertThat(resource().forResource("dev/longhaul/postgres/migrations/V1__jobs.sql"))
                .accepts(hints);
        assertThat(resource().forResource("dev/longhaul/api/openapi.json")).accepts(hints);
        assertThat(resource().forResource("dev/longhaul/dashboard/index.html")).accepts(hints);

        TestCompiler.forSystem().with(generation).compile(compiled -> {
            GenericApplicationContext generated = context();
            compiled.getInstance(ApplicationContextInitializer.class, name.reflectionName())
                    .initialize(generated);
            try (generated) {
                generated.refresh();
                Longhaul longhaul = generated.getBean(Longhaul.class);
                var client = generated.getBean(JobClientHolder.class).client();
                assertThat(TestContexts.ended(longhaul, client.definition(), client.later(new Welcome("ann")))
                                .status())
                        .isEqualTo(JobStatus.SUCCEEDED);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }
}
