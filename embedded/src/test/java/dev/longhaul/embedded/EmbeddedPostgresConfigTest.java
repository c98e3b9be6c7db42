package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresConfigTest {
    private final EmbeddedPostgresConfig config = EmbeddedPostgresConfig.in(Path.of("somewhere"));

    @Test
    void chooses_a_port_and_uses_the_bundled_binaries_by_default() {
        assertThat(config.port()).isZero();
        assertThat(config.settings()).isEmpty();
        assertThat(config.installation()).isNull();
        assertThat(config.home()).isAbsolute();
    }

    @Test
    void keeps_its_settings() {
        var changed = config.withPort(5433)
                .withSetting("max_connections", "50")
                .withSetting("work_mem", "8MB")
                .withInstallation(Path.of("/usr/lib/postgresql/15/bin"));
        assertThat(changed.port()).isEqualTo(5433);
        assertThat(changed.settings()).containsEntry("max_connections", "50").containsEntry("work_mem", "8MB");
        assertThat(changed.installation()).isEqualTo(Path.of("/usr/lib/postgresql/15/bin"));
        assertThat(changed.home()).isEqualTo(config.home());
    }

    @Test
    void rejects_invalid_ports() {
        assertThatThrownBy(() -> config.withPort(-1)).hasMessage("port: -1 (expected: 0 to 65535)");
        assertThatThrownBy(() -> config.withPort(65_536)).hasMessage("port: 65536 (expected: 0 to 65535)");
    }

    @Test
    void rejects_invalid_setting_names_and_the_port() {
        assertThatThrownBy(() -> config.withSetting("a b", "1"))
                .hasMessage("settings: a b (expected: the name of a server setting other than port)");
        assertThatThrownBy(() -> config.withSetting("Port", "1"))
                .hasMessage("settings: Port (expected: the name of a server setting other than port)");
    }
}
