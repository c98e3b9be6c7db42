package dev.longhaul.cli.launch;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.kafka.IntakeSettings;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a command that uses the intake of a server; null if an option is not given. */
public record IntakeSource(
        @Nullable String kafka,
        @Nullable String kafkaConfig,
        @Nullable String intake,
        @Nullable String unsafe,
        @Nullable String config) {
    /** Returns the intake that {@code longhaul server} would use with these options in this environment. */
    public IntakeSettings settings(Map<String, String> environment) {
        var flags = new EnumMap<Setting, String>(Setting.class);
        add(flags, Setting.KAFKA, kafka);
        add(flags, Setting.KAFKA_CONFIG, kafkaConfig);
        add(flags, Setting.INTAKE, intake);
        add(flags, Setting.INTAKE_UNSAFE, unsafe);
        add(flags, Setting.CONFIG, config);
        var settings = Settings.of(EnumSet.allOf(Setting.class), flags, environment);
        KafkaConfig kafkaSettings = KafkaConfig.of(settings);
        settings.throwIfWrong();
        KafkaConfig.Intake found = kafkaSettings == null ? null : kafkaSettings.intake();
        if (found == null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError(
                            "--intake", "missing", "--kafka BROKERS and --intake TOPIC, or --config FILE")));
        }
        return found.settings();
    }

    private static void add(Map<Setting, String> flags, Setting setting, @Nullable String value) {
        if (value != null) {
            flags.put(setting, value);
        }
    }
}
