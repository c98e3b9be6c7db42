package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("full")
class TransactionsTest {
    private static final String[] WITHOUT_JPA = {
        "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
                + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
        "spring.data.jpa.repositories.enabled=false"
    };

    static class Orders {
        private final JdbcTemplate jdbc;
        private final Longhaul longhaul;

        Orders(JdbcTemplate jdbc, Longhaul longhaul) {
            this.jdbc = jdbc;
            this.longhaul = longhaul;
        }

        @Transactional
        public JobId place(String number, boolean fails) {
            JobId id = longhaul.later("order.confirm", number);
            jdbc.update("insert into orders (number) values (?)", number);
            if (fails) {
                throw new IllegalStateException("payment declined");
            }
            return id;
        }

        @Transactional
        public List<JobId> placeAll(List<String> numbers, JobDefinition<String, Integer> confirm) {
            return longhaul.laterAll(confirm, numbers, JobOptions.options());
        }

        /** What others see of the job before the commit. */
        @Transactional
        public boolean visibleBeforeCommit(String number) {
            JobId id = longhaul.later("order.confirm", number);
            return longhaul.find(id).isPresent();
        }

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public JobId outside(String number) {
            return longhaul.later("order.confirm", number);
        }

        /** The outer transaction rolls back after the jobs of an inner one have been committed. */
        @Transactional
        public void rollsBackAround(Runnable inner) {
            longhaul.later("order.confirm", "outer");
            inner.run();
            throw new IllegalStateException("outer");
        }

        /** Enqueues in a callback, when the transaction has committed but its connection is still bound. */
        @Transactional
        public void afterwards(Runnable afterCommit, Runnable afterCompletion) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    afterCommit.run();
                }

                @Override
                public void afterCompletion(int status) {
                    afterCompletion.run();
                }
            });
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void failingInner() {
            longhaul.later("order.confirm", "failed");
            throw new IllegalStateException("inner");
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void inner() {
            longhaul.later("order.confirm", "inner");
        }

        /** A transaction proves that the job calls the bean through its proxy. */
        @Transactional
        @LonghaulJob(key = "order.confirm")
        public int confirm(String number) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            return Objects.requireNonNull(
                    jdbc.queryForObject("select count(*) from orders where number = ?", Integer.class, number));
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Orders orders(JdbcTemplate jdbc, Longhaul longhaul, PlatformTransactionManager transactions) {
            new TransactionTemplate(transactions)
                    .executeWithoutResult(
                            status -> jdbc.execute("create table if not exists orders (number text primary key)"));
            return new Orders(jdbc, longhaul);
        }
    }

    @Entity(name = "orders")
    @Table(name = "orders")
    static class Order {
        static volatile Runnable whenInserted = () -> {};

        @Id
        String number;

        Order() {}

        Order(String number) {
            this.number = number;
        }

        @PostPersist
        void inserted() {
            whenInserted.run();
        }
    }

    static class JpaOrders {
        private final Longhaul longhaul;
        private final EntityManager entities;

        JpaOrders(EntityManagerFactory factory, Longhaul longhaul) {
            this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            this.longhaul = longhaul;
        }

        @Transactional
        public JobId place(String number, boolean fails) {
            entities.persist(new Order(number));
            JobId id = longhaul.later("order.confirm", number);
            if (fails) {
                throw new IllegalStateException("payment declined");
            }
            return id;
        }

        /** The orders are inserted by the commit. */
        @Transactional
        public void save(List<String> numbers) {
            numbers.forEach(number -> entities.persist(new Order(number)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Jpa {
        @Bean
        JpaOrders jpaOrders(EntityManagerFactory factory, Longhaul longhaul, Orders createsTheTable) {
            return new JpaOrders(factory, longhaul);
        }
    }

    private static ApplicationContextRunner jdbc() {
        return TestContexts.onPostgres().withUserConfiguration(App.class).withPropertyValues(WITHOUT_JPA);
    }

    private static List<JobStatus> statuses(Longhaul longhaul) {
        return longhaul.list(JobQuery.ALL).jobs().stream()
                .map(job -> job.status())
                .toList();
    }

    private static ContextConsumer<AssertableApplicationContext> orders(Use use) {
        return context -> {
            assertThat(context).hasNotFailed();
            use.on(context.getBean(Orders.class), context.getBean(Longhaul.class));
        };
    }

    private interface Use {
        void on(Orders orders, Longhaul longhaul) throws Exception;
    }

    @Nested
    class Jdbc {
        @Test
        void a_committed_job_runs_and_sees_the_rows_of_its_transaction() {
            jdbc().run(orders((orders, longhaul) -> {
                JobId id = orders.place("A-1", false);
                var job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "order.confirm"), id);
                assertThat(job.result()).isEqualTo("1");
            }));
        }

        @Test
        void a_rolled_back_job_vanishes() {
            jdbc().run(orders((orders, longhaul) -> {
                assertThatThrownBy(() -> orders.place("A-1", true)).hasMessage("payment declined");
                assertThat(statuses(longhaul)).isEmpty();
            }));
        }

        @Test
        void longhauls_own_connections_do_not_join() {
            jdbc().run(orders((orders, longhaul) ->
                    assertThat(orders.visibleBeforeCommit("A-1")).isFalse()));
        }

        @Test
        void several_jobs_join_together() {
            jdbc().run(orders((orders, longhaul) -> {
                @SuppressWarnings("unchecked")
                var confirm = (JobDefinition<String, Integer>) TestContexts.definition(longhaul, "order.confirm");
                for (JobId id : orders.placeAll(List.of("A-1", "A-2"), confirm)) {
                    assertThat(TestContexts.ended(longhaul, confirm, id).status())
                            .isEqualTo(JobStatus.SUCCEEDED);
                }
            }));
        }

        @Test
        void outside_of_a_transaction_a_job_is_committed_at_once() {
            jdbc().run(orders((orders, longhaul) ->
                    assertThat(longhaul.find(orders.outside("A-1"))).isPresent()));
        }

        @Test
        void a_job_of_an_inner_transaction_survives_the_rollback_of_the_outer_one() {
            jdbc().run(orders((orders, longhaul) -> {
                assertThatThrownBy(() -> orders.rollsBackAround(orders::inner)).hasMessage("outer");
                assertThat(longhaul.list(JobQuery.ALL).jobs())
                        .singleElement()
                        .satisfies(job -> assertThat(job.spec().params()).isEqualTo("\"inner\""));
            }));
        }

        /** A pool whose connections are not in auto-commit mode rolls back what is not committed. */
        @Test
        void a_job_of_a_callback_after_the_transaction_is_committed_and_its_workers_woken() {
            jdbc().withPropertyValues("spring.datasource.hikari.auto-commit=false")
                    .run(orders((orders, longhaul) -> {
                        var ids = new ArrayList<JobId>();
                        Runnable enqueue = () -> ids.add(longhaul.later("order.confirm", "A-" + ids.size()));
                        orders.afterwards(enqueue, enqueue);
                        assertThat(ids).hasSize(2);
                        for (JobId id : ids) {
                            assertThat(longhaul.find(id)).isPresent();
                            var confirm = TestContexts.definition(longhaul, "order.confirm");
                            assertThat(TestContexts.ended(longhaul, confirm, id).status())
                                    .isEqualTo(JobStatus.SUCCEEDED);
                        }
                    }));
        }

        @Test
        void a_transaction_that_begins_in_such_a_callback_has_its_own_jobs() {
            jdbc().run(orders((orders, longhaul) -> {
                orders.afterwards(
                        () -> {
                            orders.inner();
                            assertThatThrownBy(orders::failingInner).hasMessage("inner");
                            longhaul.later("order.confirm", "callback");
                        },
                        () -> {});
                assertThat(longhaul.list(JobQuery.ALL).jobs())
                        .extracting(job -> job.spec().params())
                        .containsExactlyInAnyOrder("\"inner\"", "\"callback\"");
            }));
        }

        @Test
        void with_the_property_off_a_job_is_committed_whatever_the_transaction_does() {
            jdbc().withPropertyValues("longhaul.join-transactions=false").run(orders((orders, longhaul) -> {
                assertThatThrownBy(() -> orders.place("A-1", true)).hasMessage("payment declined");
                assertThat(statuses(longhaul)).hasSize(1);
            }));
        }

        @Test
        void workers_are_woken_by_the_commit() {
            var ended = new CompletableFuture<Long>();
            jdbc().run(orders((orders, longhaul) -> {
                // The second job: the first one warms up.
                JobId first = orders.place("A-0", false);
                TestContexts.ended(longhaul, TestContexts.definition(longhaul, "order.confirm"), first);
                longhaul.listen(notice -> !notice.jobId().equals(first), notice -> ended.complete(System.nanoTime()));
                orders.place("A-1", false);
                long committed = System.nanoTime();
                // The next poll without a signal would come after seconds.
                assertThat(ended.get(20, TimeUnit.SECONDS) - committed).isLessThan(TimeUnit.MILLISECONDS.toNanos(800));
            }));
        }
    }

    @Nested
    class WithJpa {
        private ApplicationContextRunner jpa() {
            return TestContexts.onPostgres()
                    .withUserConfiguration(App.class, Jpa.class)
                    .withPropertyValues("spring.jpa.open-in-view=false");
        }

        @Test
        void a_job_commits_with_the_entities_of_its_transaction() {
            jpa().run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(PlatformTransactionManager.class)
                                .getClass()
                                .getSimpleName())
                        .isEqualTo("JpaTransactionManager");
                Longhaul longhaul = context.getBean(Longhaul.class);
                JobId id = context.getBean(JpaOrders.class).place("A-1", false);
                var job = TestContexts.ended(longhaul, TestContexts.definition(longhaul, "order.confirm"), id);
                assertThat(job.result()).isEqualTo("1");
            });
        }

        @Test
        void a_job_of_a_callback_after_the_transaction_is_committed() {
            jpa().withPropertyValues("spring.datasource.hikari.auto-commit=false")
                    .run(context -> {
                        Longhaul longhaul = context.getBean(Longhaul.class);
                        var ids = new ArrayList<JobId>();
                        Runnable enqueue = () -> ids.add(longhaul.later("order.confirm", "A-" + ids.size()));
                        context.getBean(Orders.class).afterwards(enqueue, enqueue);
                        assertThat(ids)
                                .hasSize(2)
                                .allSatisfy(id -> assertThat(longhaul.find(id)).isPresent());
                    });
        }

        @Test
        void a_job_that_is_enqueued_while_the_commit_inserts_entities_rolls_back_with_them() {
            jpa().run(context -> {
                Longhaul longhaul = context.getBean(Longhaul.class);
                JpaOrders orders = context.getBean(JpaOrders.class);
                orders.save(List.of("B-2"));
                Order.whenInserted = () -> longhaul.later("order.confirm", "B-1");
                try {
                    assertThatThrownBy(() -> orders.save(List.of("B-1", "B-2")))
                            .isInstanceOf(DataIntegrityViolationException.class);
                    assertThat(statuses(longhaul)).isEmpty();
                    orders.save(List.of("B-3"));
                    assertThat(statuses(longhaul)).hasSize(1);
                } finally {
                    Order.whenInserted = () -> {};
                }
            });
        }

        @Test
        void a_job_rolls_back_with_them() {
            jpa().run(context -> {
                assertThatThrownBy(() -> context.getBean(JpaOrders.class).place("A-1", true))
                        .hasMessage("payment declined");
                assertThat(statuses(context.getBean(Longhaul.class))).isEmpty();
            });
        }
    }
}
