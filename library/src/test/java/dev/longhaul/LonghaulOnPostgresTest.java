package dev.longhaul;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;

class LonghaulOnPostgresTest extends LonghaulContract {
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.newUrl(), 8);

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
