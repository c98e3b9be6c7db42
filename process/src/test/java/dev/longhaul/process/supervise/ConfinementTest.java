package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfinementTest {
    @Test
    void is_impossible_without_proc(@TempDir Path empty) {
        assertThat(Confinement.impossible()).isEmpty();
        assertThat(Confinement.impossible(empty).orElseThrow()).contains("Linux", System.getProperty("os.name"));
    }
}
