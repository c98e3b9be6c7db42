package dev.longhaul;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;

class SchedulesOnPostgresTest extends SchedulesContract {
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.newUrl(), 12);

    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().postgres(pool);
    }

    @AfterEach
    void closePool() {
        close();
        pool.close();
    }
}
