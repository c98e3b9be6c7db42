package dev.longhaul.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.spi.Health;
import dev.longhaul.spring.actuate.LonghaulHealth;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@Tag("full")
class HealthTest {
    /** A pool whose callers wait while its database is unavailable. */
    private static final class Waiting extends DelegatingDataSource {
        private volatile CountDownLatch available = new CountDownLatch(0);

        Waiting(DataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                available.await();
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            return super.getConnection();
        }
    }

    @Test
    @Timeout(60)
    void a_pool_that_waits_for_the_database_does_not_hold_up_the_check() {
        try (HikariDataSource pool = TestPostgres.pool(TestContexts.newDatabase(), 8)) {
            var waiting = new Waiting(pool);
            try (Longhaul longhaul = Longhaul.builder().postgres(waiting).start()) {
                var health = new LonghaulHealth(longhaul);
                assertThat(health.check()).isEqualTo(Health.OK);

                var available = new CountDownLatch(1);
                waiting.available = available;
                long began = System.nanoTime();
                Health blocked = health.check();
                long took = System.nanoTime() - began;
                available.countDown();

                assertThat(blocked.healthy()).isFalse();
                assertThat(blocked.detail()).contains("no response from the database within 3 s");
                assertThat(took).isLessThan(TimeUnit.SECONDS.toNanos(10));
                while (!health.check().healthy()) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        }
    }
}
