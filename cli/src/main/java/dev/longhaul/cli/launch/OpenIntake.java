package dev.longhaul.cli.launch;

import dev.longhaul.intake.IntakeStore;
import dev.longhaul.intake.IntakeWriter;
import dev.longhaul.kafka.KafkaIntake;
import dev.longhaul.kafka.KafkaIntakeLog;
import dev.longhaul.spi.Store;
import io.micrometer.core.instrument.Gauge;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** This process's parts of the intake: the API appends to the topic, the scheduler stores the records of the topic. */
final class OpenIntake implements AutoCloseable {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private @Nullable Store front;

    private OpenIntake() {}

    static OpenIntake open(LaunchConfig config, OpenStore behind) {
        var open = new OpenIntake();
        KafkaConfig.Intake intake = config.intake();
        if (intake == null) {
            return open;
        }
        try {
            if (config.plays(ProcessRole.API)) {
                open.front = open.accept(intake, behind);
            }
            if (config.plays(ProcessRole.SCHEDULER)) {
                open.parts.push(IntakeWriter.start(
                        behind.store(), assignment -> KafkaIntakeLog.open(intake.settings(), assignment)));
            }
            return open;
        } catch (RuntimeException | Error e) {
            open.close();
            throw e;
        }
    }

    private Store accept(KafkaConfig.Intake intake, OpenStore behind) {
        KafkaIntake topic = KafkaIntake.open(intake.settings());
        var store = new IntakeStore(behind.store(), topic, intake.when());
        parts.push(store);
        Gauge.builder("longhaul.intake.behind", topic, KafkaIntake::behind)
                .description("Records of the intake that are not stored yet.")
                .register(behind.meters().registry());
        return store;
    }

    /** Returns the store that the API uses: the given one if there is no intake. */
    Store before(Store store) {
        return front == null ? store : front;
    }

    @Override
    public void close() {
        Closing.all(parts);
        parts.clear();
    }
}
