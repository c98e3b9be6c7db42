package dev.longhaul.usecase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Registry;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Definitions of the catalog while it is unavailable. */
class StaleDefinitionsTest {
    private final MemoryStore store = new MemoryStore();
    private final AtomicLong nanos = new AtomicLong();
    private boolean available = true;
    private final Store failing = InterceptedStore.of(store, (method, arguments, call) -> {
        if (!available) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        }
        return call.goOn();
    });
    private final KnownDefinitions definitions =
            new KnownDefinitions(new Registry(), failing.catalog(), nanos::get, true);

    private void register(String key) {
        var defaults = new KnownDefinition.Defaults("mails", 3, Duration.ofMinutes(2), 0);
        var ref = new DefinitionRef(key, 1);
        store.catalog().register(List.of(new KnownDefinition(ref, "true", "true", defaults, null, Instant.EPOCH)));
    }

    private void passes(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void assertUnavailable(String key) {
        assertThatThrownBy(() -> definitions.find(key, null)).hasMessage("database unavailable");
    }

    @Test
    void are_those_of_the_last_hour() {
        register("mail");
        register("unread");
        assertThat(definitions.find("mail", null)).isPresent();
        assertThat(definitions.find("unknown", null)).isEmpty();
        available = false;

        passes(Duration.ofMinutes(59));
        assertThat(definitions.find("mail", null)).isPresent();
        assertUnavailable("unknown");
        assertUnavailable("unread");
        passes(Duration.ofMinutes(2));
        assertUnavailable("mail");

        available = true;
        assertThat(definitions.find("mail", null)).isPresent();
        assertThat(definitions.find("unread", null)).isPresent();
    }
}
