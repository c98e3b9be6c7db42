package org.example.shop;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** A PostgreSQL without Docker for each application context of the tests, and for {@link TestShopApplication}. */
@TestConfiguration(proxyBeanMethods = false)
class LocalPostgres {
    @Bean(destroyMethod = "close")
    EmbeddedPostgres postgres() throws IOException {
        Path directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "postgres-");
        return EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory));
    }

    @Bean
    JdbcConnectionDetails connectionDetails(EmbeddedPostgres postgres) {
        return new JdbcConnectionDetails() {
            @Override
            public String getJdbcUrl() {
                return postgres.jdbcUrl();
            }

            @Override
            public String getUsername() {
                return postgres.user();
            }

            @Override
            public String getPassword() {
                return postgres.password();
            }
        };
    }
}
