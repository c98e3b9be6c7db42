package dev.longhaul.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.spi.Inserted;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestStoreTest {
    /** No method of it is called: the store in memory knows no transactions. */
    private static final Connection CONNECTION = (Connection) Proxy.newProxyInstance(
            TestStoreTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    private final TestStore store = new TestStore(new MovableClock());

    private static JobSpec spec(String key) {
        return JobSpec.of(new DefinitionRef("greet", 1), "\"Ann\"")
                .idempotencyKey(key)
                .build();
    }

    @Test
    void jobs_of_a_transaction_exist_once_it_commits() {
        var commits = new ArrayList<Runnable>();
        List<Inserted> inserted = store.insert(CONNECTION, List.of(spec("a"), spec("b")), commits::add);
        assertThat(inserted).allMatch(Inserted::isNew);
        assertThat(store.jobs().list(JobQuery.ALL).jobs()).isEmpty();

        commits.forEach(Runnable::run);

        assertThat(store.jobs().list(JobQuery.ALL).jobs())
                .extracting(job -> job.id())
                .containsExactlyInAnyOrder(
                        inserted.get(0).job().id(), inserted.get(1).job().id());
    }

    @Test
    void a_known_idempotency_key_returns_the_first_job() {
        var first = store.insert(CONNECTION, List.of(spec("a"))).get(0);
        var commits = new ArrayList<Runnable>();
        var second = store.insert(CONNECTION, List.of(spec("a")), commits::add).get(0);
        assertThat(second.isNew()).isFalse();
        assertThat(second.job().id()).isEqualTo(first.job().id());
        commits.forEach(Runnable::run);
        assertThat(store.jobs().list(JobQuery.ALL).jobs()).hasSize(1);
    }
}
