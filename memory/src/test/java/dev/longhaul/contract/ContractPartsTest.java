package dev.longhaul.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.longhaul.spi.QueueStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The contract has a part for each port, runs all of its parts, and detects a skipped test. */
class ContractPartsTest {
    private static List<Class<?>> parts() {
        return Arrays.stream(JobStoreContract.class.getDeclaredClasses())
                .filter(type -> type.isAnnotationPresent(Nested.class))
                .toList();
    }

    private static Class<?> portOf(Class<?> part) {
        return Objects.requireNonNull(part.getAnnotation(PartOf.class), part.getName())
                .value();
    }

    @Test
    void each_port_has_a_part_and_each_part_has_a_port() {
        Set<Class<?>> covered = parts().stream().map(ContractPartsTest::portOf).collect(Collectors.toSet());
        assertThat(covered).isEqualTo(JobStoreContract.ALL_PORTS);
    }

    @Test
    void each_contract_class_is_one_of_the_parts() throws IOException {
        Set<String> used = parts().stream()
                .map(part -> part.getSuperclass().getSimpleName())
                .collect(Collectors.toSet());
        try (var files = Files.walk(Path.of("../contract/src/main/java/dev/longhaul/contract"))) {
            List<String> contracts = files.map(
                            file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> name.endsWith("Contract"))
                    .filter(name -> !name.equals("StoreContract") && !name.equals("JobStoreContract"))
                    .toList();
            assertThat(used).containsExactlyInAnyOrderElementsOf(contracts);
        }
    }

    @Test
    void leaves_out_the_parts_about_ports_that_a_store_does_not_declare() {
        EngineExecutionResults run = run(OnlyQueues.class);
        assertThat(run.testEvents().succeeded().count()).isPositive();
        assertThat(run.testEvents().failed().count()).isZero();
        assertThat(run.containerEvents().skipped().count())
                .isEqualTo(parts().stream()
                        .filter(part -> portOf(part) != QueueStore.class)
                        .count());
    }

    @Test
    void fails_when_a_test_of_a_declared_port_is_skipped() {
        assertThat(run(Skipping.class).containerEvents().failed().count()).isEqualTo(1);
    }

    private static EngineExecutionResults run(Class<?> contract) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(contract))
                .execute();
    }

    /** A store that declares one port. */
    @Ports(QueueStore.class)
    static class OnlyQueues extends JobStoreContract {
        @Override
        protected StoreFixture newFixture() {
            return MemoryStoreTest.fixture();
        }
    }

    /** A store whose test skips something. */
    static class Skipping extends OnlyQueues {
        @Test
        void something() {
            Assumptions.abort("not today");
        }
    }
}
