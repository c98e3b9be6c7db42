package dev.longhaul.cli.launch;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The store to use. */
public sealed interface StoreConfig {
    /** A store in memory. Its jobs are lost when the process ends. */
    record Memory() implements StoreConfig {}

    /** A store in an embedded PostgreSQL server, which has its data in {@code home}. */
    record Embedded(Path home) implements StoreConfig {}

    /**
     * A store in an external PostgreSQL.
     *
     * @param readUrl URL of a read replica for lists and counts; null reads them from the primary
     */
    record Postgres(String url, @Nullable String readUrl) implements StoreConfig {
        @Override
        public String toString() {
            return "Postgres"; // the URLs may contain passwords
        }
    }

    /**
     * Returns the store that {@code longhaul server} would use in this environment; null if no setting selects one.
     * Other settings are not checked.
     *
     * @param store the value of {@code --store}; null if it is not given
     * @param config the file given with {@code --config}; null if it is not given
     */
    static @Nullable StoreConfig of(Map<String, String> environment, @Nullable String store, @Nullable String config) {
        var flags = new EnumMap<Setting, String>(Setting.class);
        if (store != null) {
            flags.put(Setting.STORE, store);
        }
        if (config != null) {
            flags.put(Setting.CONFIG, config);
        }
        var settings = Settings.of(EnumSet.allOf(Setting.class), flags, environment);
        boolean selected = settings.has(Setting.STORE) || settings.has(Setting.DATA_DIR);
        StoreConfig chosen = selected ? new LaunchSettings(settings).store() : null;
        settings.throwIfWrong();
        return chosen;
    }
}
