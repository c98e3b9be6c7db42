package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.testing.TestPostgres;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("full")
class LifecycleTest {
    /** Uses the pool, and enqueues, while the application stops. */
    static class Slow {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private final List<String> log = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;
        private final Longhaul longhaul;

        Slow(JdbcTemplate jdbc, Longhaul longhaul) {
            this.jdbc = jdbc;
            this.longhaul = longhaul;
        }

        @LonghaulJob(key = "slow")
        public String run(JobContext context) {
            begun.countDown();
            while (!context.draining()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            jdbc.queryForObject("select 1", Integer.class);
            longhaul.later("next", null);
            log.add("ended");
            return "done";
        }

        @LonghaulJob(key = "stubborn")
        public void stubborn() throws InterruptedException {
            begun.countDown();
            new CountDownLatch(1).await();
        }

        @LonghaulJob(key = "deaf")
        public void deaf() {
            begun.countDown();
            awaitDeaf(ended);
        }

        @LonghaulJob(key = "next", queue = "unserved")
        public void next() {}
    }

    /** Ignores its interrupts. */
    private static void awaitDeaf(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            var unused = Thread.interrupted();
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Slow slow(JdbcTemplate jdbc, Longhaul longhaul) {
            return new Slow(jdbc, longhaul);
        }

        @Bean
        JobDefinition<Void, Void> hooked(ObjectProvider<Slow> slow) {
            return JobDefinition.of("hooked", Void.class, Void.class)
                    .onEnd((context, result) -> {
                        slow.getObject().log.add("hook");
                        awaitDeaf(slow.getObject().ended);
                    })
                    .handler((params, context) -> null);
        }
    }

    private final String url = TestContexts.newDatabase();

    private ConfigurableApplicationContext start(String... properties) {
        SpringApplication application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.datasource.url=" + url, "longhaul.queues=default")
                .properties(properties)
                .build();
        return application.run();
    }

    @Test
    void a_running_job_ends_before_the_pool_closes_and_may_enqueue_meanwhile() throws Exception {
        ConfigurableApplicationContext context = start();
        Longhaul longhaul = context.getBean(Longhaul.class);
        Slow slow = context.getBean(Slow.class);
        HikariDataSource pool = context.getBean(HikariDataSource.class);
        JobId id = longhaul.later("slow", null);
        assertThat(slow.begun.await(20, TimeUnit.SECONDS)).isTrue();

        context.close();

        assertThat(slow.log).contains("ended");
        assertThat(pool.isClosed()).isTrue();
        assertThat(statusIn(id)).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(count("unserved")).isEqualTo(1);
    }

    @Test
    void a_job_that_does_not_end_is_given_back_within_the_phase() throws Exception {
        ConfigurableApplicationContext context = start("spring.lifecycle.timeout-per-shutdown-phase=2s");
        Longhaul longhaul = context.getBean(Longhaul.class);
        JobId id = longhaul.later("stubborn", null);
        assertThat(context.getBean(Slow.class).begun.await(20, TimeUnit.SECONDS))
                .isTrue();

        long began = System.nanoTime();
        context.close();

        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(5));
        assertThat(statusIn(id)).isEqualTo(JobStatus.QUEUED);
    }

    /** Code that ignores its interrupt, and a hook that does not end: their waits must not add up. */
    @Test
    void what_does_not_end_at_all_does_not_exceed_the_phase() throws Exception {
        ConfigurableApplicationContext context = start("spring.lifecycle.timeout-per-shutdown-phase=6s");
        Longhaul longhaul = context.getBean(Longhaul.class);
        Slow slow = context.getBean(Slow.class);
        try {
            longhaul.later("hooked", null);
            JobId id = longhaul.later("deaf", null);
            assertThat(slow.begun.await(20, TimeUnit.SECONDS)).isTrue();
            while (slow.log.isEmpty()) {
                Thread.onSpinWait();
            }

            long began = System.nanoTime();
            context.close();

            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(6));
            assertThat(statusIn(id)).isEqualTo(JobStatus.QUEUED);
        } finally {
            slow.ended.countDown();
        }
    }

    @Test
    void jobs_run_once_the_context_is_refreshed_and_again_after_a_stop() throws Exception {
        try (ConfigurableApplicationContext context = start("longhaul.queues=default,unserved")) {
            Longhaul longhaul = context.getBean(Longhaul.class);
            var next = TestContexts.definition(longhaul, "next");
            assertThat(TestContexts.ended(longhaul, next, longhaul.later("next", null))
                            .status())
                    .isEqualTo(JobStatus.SUCCEEDED);

            context.stop();
            JobId waiting = longhaul.later("next", null);
            assertThat(longhaul.find(waiting).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
            context.start();

            assertThat(TestContexts.ended(longhaul, next, waiting).status()).isEqualTo(JobStatus.SUCCEEDED);
        }
    }

    /** As DevTools does: the context is closed and another one started in the same JVM. */
    @Test
    void a_restarted_context_registers_its_jobs_again() throws Exception {
        start("longhaul.queues=default,unserved").close();
        try (ConfigurableApplicationContext again = start("longhaul.queues=default,unserved")) {
            Longhaul longhaul = again.getBean(Longhaul.class);
            var next = TestContexts.definition(longhaul, "next");
            assertThat(TestContexts.ended(longhaul, next, longhaul.later("next", null))
                            .status())
                    .isEqualTo(JobStatus.SUCCEEDED);
        }
    }

    private JobStatus statusIn(JobId id) {
        try (var pool = TestPostgres.pool(url, 8);
                Longhaul reader = Longhaul.builder().postgres(pool).open()) {
            return reader.find(id).orElseThrow().status();
        }
    }

    private int count(String queue) throws Exception {
        try (var pool = TestPostgres.pool(url, 2);
                var connection = pool.getConnection();
                var statement = connection.prepareStatement("select count(*) from longhaul.live_job where queue = ?")) {
            statement.setString(1, queue);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
