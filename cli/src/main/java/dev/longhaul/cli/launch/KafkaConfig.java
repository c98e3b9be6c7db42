package dev.longhaul.cli.launch;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeMode;
import dev.longhaul.kafka.IntakeSettings;
import dev.longhaul.kafka.KafkaCluster;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka brokers, and what they are used for besides webhooks.
 *
 * @param intake the intake; null disables it
 */
record KafkaConfig(KafkaCluster cluster, @Nullable Intake intake) {
    /** Webhooks cannot send to topics with this prefix, so that callers cannot write to the intake. */
    private static final String PREFIX = "longhaul.";

    private static final String TOPIC = "longhaul\\.[A-Za-z0-9._-]{1,180}";

    /** The intake and when it is used. */
    record Intake(IntakeSettings settings, IntakeMode when) {}

    /** Returns null without brokers; adds a problem for each invalid setting. */
    static @Nullable KafkaConfig of(Settings settings) {
        require(settings, Setting.KAFKA_CONFIG, Setting.KAFKA, "brokers too, as --kafka");
        require(settings, Setting.INTAKE, Setting.KAFKA, "brokers too, as --kafka");
        require(settings, Setting.INTAKE_WHEN, Setting.INTAKE, "a topic too, as --intake");
        require(settings, Setting.INTAKE_UNSAFE, Setting.INTAKE, "a topic too, as --intake");
        Map<String, String> client = properties(settings, Setting.KAFKA_CONFIG);
        KafkaCluster cluster = null;
        try {
            String brokers = settings.parsed(Setting.KAFKA, text -> text);
            cluster = brokers == null ? null : new KafkaCluster(brokers, client);
        } catch (LonghaulException e) {
            e.errors().forEach(settings::problem);
        }
        IntakeSettings.Topics topics = settings.parsed(Setting.INTAKE, KafkaConfig::topics);
        IntakeMode when = settings.parsed(Setting.INTAKE_WHEN, KafkaConfig::mode);
        boolean unsafe = settings.flag(Setting.INTAKE_UNSAFE);
        if (cluster == null) {
            return null;
        }
        if (topics == null || when == null) {
            return new KafkaConfig(cluster, null);
        }
        IntakeSettings intake = IntakeSettings.of(cluster).withTopics(topics).withUnsafe(unsafe);
        return new KafkaConfig(cluster, new Intake(intake, when));
    }

    private static void require(Settings settings, Setting given, Setting needed, String expected) {
        if (settings.has(given) && !settings.has(needed)) {
            settings.problem(given, expected);
        }
    }

    private static IntakeSettings.Topics topics(String intake) {
        if (!intake.matches(TOPIC)) {
            throw new IllegalArgumentException("the name of a topic that begins with " + PREFIX);
        }
        return new IntakeSettings.Topics(intake, intake + ".parked");
    }

    private static IntakeMode mode(String text) {
        return Arrays.stream(IntakeMode.values())
                .filter(mode -> name(mode).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(Arrays.stream(IntakeMode.values())
                        .map(KafkaConfig::name)
                        .collect(Collectors.joining(", ", "one of ", ""))));
    }

    private static String name(IntakeMode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, String> properties(Settings settings, Setting setting) {
        Path file = settings.file(setting);
        var all = new TreeMap<String, String>();
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(file)) {
                var read = new Properties();
                read.load(reader);
                read.stringPropertyNames().forEach(name -> all.put(name, read.getProperty(name)));
            } catch (IOException | IllegalArgumentException e) {
                settings.problem(setting, "a readable properties file in UTF-8; " + e);
            }
        }
        return all;
    }
}
