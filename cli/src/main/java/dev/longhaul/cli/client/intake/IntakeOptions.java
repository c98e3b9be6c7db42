package dev.longhaul.cli.client.intake;

import dev.longhaul.cli.launch.IntakeSource;
import dev.longhaul.kafka.IntakeSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select an intake: the same settings as those of a server. */
final class IntakeOptions {
    @Option(
            names = "--kafka",
            paramLabel = "BROKERS",
            description = "The brokers: kafka1:9092,kafka2:9092. Default: LONGHAUL_KAFKA.")
    private @Nullable String kafka;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Properties file with further settings of the Kafka client. Default: LONGHAUL_KAFKA_CONFIG.")
    private @Nullable String kafkaConfig;

    @Option(names = "--intake", paramLabel = "TOPIC", description = "The intake's topic. Default: LONGHAUL_INTAKE.")
    private @Nullable String intake;

    @Option(
            names = "--intake-unsafe",
            description = "Accept topics with fewer than three replicas. Default: LONGHAUL_INTAKE_UNSAFE.")
    private boolean unsafe;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Read the settings from the properties file of longhaul server.")
    private @Nullable String config;

    IntakeSettings settings() {
        return new IntakeSource(kafka, kafkaConfig, intake, unsafe ? "true" : null, config).settings(System.getenv());
    }
}
