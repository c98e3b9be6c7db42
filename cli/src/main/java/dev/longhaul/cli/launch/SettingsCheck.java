package dev.longhaul.cli.launch;

import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings that {@code longhaul server} would use in this environment, without starting a server.
 *
 * @param given where each given setting was set: {@code LONGHAUL_SLOTS}, {@code slots in longhaul.properties}
 * @param databaseUrl the URL of the PostgreSQL database in the settings; null if there is none
 */
public record SettingsCheck(
        List<String> given,
        List<FieldError> problems,
        @Nullable String databaseUrl) {
    /** Omits the URL's password, so that it does not get into logs. */
    @Override
    public String toString() {
        return "SettingsCheck" + given + problems;
    }

    /** @param config the file given with {@code --config}; null if there is none */
    public static SettingsCheck of(Map<String, String> environment, @Nullable String config) {
        var flags = new EnumMap<Setting, String>(Setting.class);
        if (config != null) {
            flags.put(Setting.CONFIG, config);
        }
        var settings = Settings.of(EnumSet.allOf(Setting.class), flags, environment);
        Logging.level(settings, settings.flag(Setting.VERBOSE));
        try {
            LaunchConfig server = new LaunchSettings(settings).server();
            String url = server.store() instanceof StoreConfig.Postgres postgres ? postgres.url() : null;
            return new SettingsCheck(settings.sources(), List.of(), url);
        } catch (LonghaulException e) {
            return new SettingsCheck(settings.sources(), e.errors(), null);
        }
    }
}
