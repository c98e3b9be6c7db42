package dev.longhaul.examples.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.spring.LonghaulCustomizer;
import dev.longhaul.spring.LonghaulDataSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** An application whose jobs are not in its primary database. */
@Configuration(proxyBeanMethods = false)
public class TwoDatabases {
    // region two-databases
    @Bean
    @Primary
    @ConfigurationProperties("app.warehouse")
    HikariDataSource warehouse() {
        return new HikariDataSource();
    }

    @Bean
    @LonghaulDataSource
    @ConfigurationProperties("app.orders")
    DataSource orders() {
        return new HikariDataSource();
    }
    // endregion

    // region customizer
    @Bean
    LonghaulCustomizer longRetention() {
        return builder -> builder.retention(Duration.ofDays(90));
    }
    // endregion
}
