package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.LonghaulException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @ParameterizedTest
    @CsvSource({
        "postgres://db.example/jobs, jdbc:postgresql://db.example/jobs",
        "postgresql://db.example:6432/jobs, jdbc:postgresql://db.example:6432/jobs",
        "postgres://ann@db.example/jobs, jdbc:postgresql://db.example/jobs?user=ann",
        "postgres://ann:s%40f%26e@db.example/jobs?sslmode=require,"
                + " jdbc:postgresql://db.example/jobs?sslmode=require&user=ann&password=s%40f%26e",
        "jdbc:postgresql://db.example/jobs?user=ann, jdbc:postgresql://db.example/jobs?user=ann",
    })
    void both_forms_mean_a_jdbc_url(String url, String jdbc) {
        assertThat(DatabaseUrl.toJdbc(url)).isEqualTo(jdbc);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"mysql://ann:secret@h/x", "postgres://ann:secret@h", "not a url secret", "postgres:///secret"})
    void anything_else_is_refused_without_showing_it(String url) {
        assertThatThrownBy(() -> DatabaseUrl.toJdbc(url))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("postgres://user:password@host:5432/name")
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_host_is_needed() {
        assertThatThrownBy(() -> DatabaseUrl.toJdbc("postgres:jobs")).isInstanceOf(LonghaulException.class);
    }
}
