package dev.longhaul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CloseTest {
    private final MemoryStore memory = new MemoryStore();
    private final Set<String> called = ConcurrentHashMap.newKeySet();

    record Nothing() {}

    private final JobDefinition<Nothing, Nothing> nothing =
            JobDefinition.of("nothing", Nothing.class, Nothing.class).handler((params, context) -> params);

    /** A store whose subscriptions cannot be closed. */
    private Store failing() {
        return InterceptedStore.of(memory, (method, arguments, call) -> {
            called.add(method.getName());
            Object result = call.goOn();
            return result instanceof Subscription ? (Subscription) CloseTest::planted : result;
        });
    }

    private static void planted() {
        throw new IllegalStateException("planted");
    }

    @Test
    void closes_every_part_although_some_fail_and_reports_the_failure() {
        Longhaul longhaul =
                Longhaul.builder().store(failing()).register(nothing).start();
        while (!called.contains("lead") || !called.contains("claim")) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThatThrownBy(longhaul::close).hasMessage("planted");
        assertThat(called).as("another process may lead at once").contains("resign");
        assertThatThrownBy(() -> longhaul.later(nothing, new Nothing())).isInstanceOf(LonghaulException.class);
        memory.close();
    }
}
