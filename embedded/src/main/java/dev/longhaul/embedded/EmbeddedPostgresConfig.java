package dev.longhaul.embedded;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an embedded server.
 *
 * @param home directory for data, password, lock and log; created if missing
 * @param port port on 127.0.0.1; 0 chooses a free one at each start
 * @param settings server settings; they override the defaults here and {@code postgresql.conf}
 * @param installation {@code bin} directory of an installed PostgreSQL; null for the bundled one
 */
public record EmbeddedPostgresConfig(
        Path home,
        int port,
        Map<String, String> settings,
        @Nullable Path installation) {
    private static final Pattern SETTING_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

    public EmbeddedPostgresConfig {
        home = home.toAbsolutePath().normalize();
        settings = Map.copyOf(settings);
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0 to 65535)");
        }
        for (var name : settings.keySet()) {
            // The port is chosen, retried and reported by this module, so a setting must not override it.
            if (!SETTING_NAME.matcher(name).matches() || name.equalsIgnoreCase("port")) {
                throw new IllegalArgumentException(
                        "settings: " + name + " (expected: the name of a server setting other than port)");
            }
        }
    }

    /** The bundled PostgreSQL on a free port, with all its files in this directory. */
    public static EmbeddedPostgresConfig in(Path home) {
        return new EmbeddedPostgresConfig(home, 0, Map.of(), null);
    }

    public EmbeddedPostgresConfig withPort(int port) {
        return new EmbeddedPostgresConfig(home, port, settings, installation);
    }

    public EmbeddedPostgresConfig withSetting(String name, String value) {
        var extended = new LinkedHashMap<>(settings);
        extended.put(name, value);
        return new EmbeddedPostgresConfig(home, port, extended, installation);
    }

    /**
     * Runs the programs in this directory, for example {@code /usr/lib/postgresql/15/bin}, instead of the bundled ones.
     */
    public EmbeddedPostgresConfig withInstallation(Path bin) {
        return new EmbeddedPostgresConfig(home, port, settings, bin);
    }
}
