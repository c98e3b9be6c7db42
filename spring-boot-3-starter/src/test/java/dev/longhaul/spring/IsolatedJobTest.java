package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spring.job.Isolated;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Tag("full")
class IsolatedJobTest {
    record Invoice(String number) {}

    static class Pdfs {
        @LonghaulJob(key = "pdf.render", isolation = "process", memory = "256m")
        public String render(Invoice invoice) {
            return invoice.number() + " in " + ProcessHandle.current().pid();
        }
    }

    static class NeedsBeans {
        private final Longhaul longhaul;

        NeedsBeans(Longhaul longhaul) {
            this.longhaul = longhaul;
        }

        @LonghaulJob(key = "pdf.shared", isolation = "process")
        public String render(Invoice invoice) {
            return invoice.number() + longhaul.registry().names();
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Pdfs pdfs() {
            return new Pdfs();
        }
    }

    @Test
    void an_annotated_method_runs_in_a_process_of_its_own() {
        TestContexts.onPostgres().withUserConfiguration(App.class).run(context -> {
            assertThat(context).hasNotFailed();
            Longhaul longhaul = context.getBean(Longhaul.class);
            var id = longhaul.later("pdf.render", new Invoice("A-1"));
            Job job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "pdf.render"), id);
            assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(job.result())
                    .startsWith("\"A-1 in ")
                    .doesNotContain(" " + ProcessHandle.current().pid() + "\"");
        });
    }

    /** Spring subclasses it, as it does the class with {@code @SpringBootApplication}. */
    @Configuration
    static class Rendering {
        @LonghaulJob(key = "pdf.configured", isolation = "process", memory = "256m")
        public String render(Invoice invoice) {
            return invoice.number();
        }
    }

    @Test
    void a_method_of_a_configuration_class_runs_in_a_process_too() {
        TestContexts.onPostgres()
                .withUserConfiguration(App.class, Rendering.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Longhaul longhaul = context.getBean(Longhaul.class);
                    var id = longhaul.later("pdf.configured", new Invoice("A-1"));
                    Job job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "pdf.configured"), id);
                    assertThat(job.result()).isEqualTo("\"A-1\"");
                });
    }

    private static List<String> known() {
        return new Isolated()
                .definitions().stream().map(one -> one.ref().toString()).toList();
    }

    @Test
    void a_closed_context_leaves_nothing_behind() {
        var app = new ApplicationContextRunner()
                .withUserConfiguration(App.class)
                .withPropertyValues(TestContexts.NO_DATA_SOURCE)
                .withBean(Store.class, MemoryStore::new);
        app.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(known()).containsExactly("pdf.render@1");
            app.run(other -> assertThat(other).hasNotFailed());
            assertThat(known()).containsExactly("pdf.render@1");
        });
        assertThat(known()).isEmpty();
    }

    @Test
    void a_bean_that_needs_the_context_is_refused_with_the_reason() {
        TestContexts.onPostgres()
                .withUserConfiguration(App.class)
                .withBean("needy", NeedsBeans.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("bean 'needy'")
                        .hasStackTraceContaining("no constructor without arguments"));
    }
}
