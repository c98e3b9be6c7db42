package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.access.Actor;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counts the database round trips of each command: its statements, and the commit of a transaction. */
class CommandStatementsTest {
    private static final Actor ANNA = new Actor("anna", new UUID(7, 7));

    private final Thread caller = Thread.currentThread();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 10);
    private final PostgresStore store = PostgresStore.open(counting(DataSource.class, pool));

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Test
    void cancel_of_a_running_job_is_one_statement() {
        JobId id = running();
        assertThat(roundTripsOf(JobCommand.cancel(id, "anna", "late", Duration.ofSeconds(5))))
                .isEqualTo(1);
        assertThat(store.jobs().find(id).map(Job::state)).contains(JobState.CANCELLING);
        assertThat(store.access().audit(null, 10)).singleElement().satisfies(entry -> {
            assertThat(entry.subject()).isEqualTo(id.toString());
            assertThat(entry.action()).isEqualTo("job.cancel");
        });
    }

    /** The request for a running job, the timeouts of the transaction, lock, move, event and audit entry, commit. */
    @Test
    void cancel_of_a_waiting_job_is_six_round_trips() {
        assertThat(roundTripsOf(JobCommand.cancel(waiting(), "anna", null, null)))
                .isEqualTo(6);
    }

    /** The timeouts of the transaction, lock, change, commit. */
    @Test
    void every_other_command_is_four_round_trips() {
        JobId id = waiting();
        assertThat(roundTripsOf(JobCommand.hold(id, "anna"))).isEqualTo(4);
        assertThat(roundTripsOf(JobCommand.release(id, "anna"))).isEqualTo(4);
        assertThat(roundTripsOf(JobCommand.edit(id, "anna", JobEdit.runTime(RunAt.after(Duration.ofHours(1))))))
                .isEqualTo(4);
        assertThat(roundTripsOf(JobCommand.runNow(id, "anna"))).isEqualTo(4);
        store.jobs().execute(JobCommand.cancel(id, "anna", null, null));
        assertThat(roundTripsOf(JobCommand.retry(id, "anna"))).isEqualTo(4);
    }

    private int roundTripsOf(JobCommand command) {
        roundTrips.set(0);
        assertThat(ANNA.act(() -> store.jobs().execute(command)).changed()).isTrue();
        return roundTrips.get();
    }

    private JobId waiting() {
        JobSpec spec = JobSpec.of(new DefinitionRef("demo", 1), "{}").build();
        return store.jobs().insert(List.of(spec)).get(0).job().id();
    }

    private JobId running() {
        JobId id = waiting();
        var request = ClaimRequest.of("w", List.of("default"), null, 1, Duration.ofMinutes(1));
        assertThat(store.work().claim(request)).hasSize(1);
        return id;
    }

    /** A proxy of the object that counts the statements sent on the thread of the test. */
    private <T> T counting(Class<T> type, Object real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    count(method);
                    try {
                        Object value = method.invoke(real, arguments);
                        return method.getName().equals("unwrap") ? value : counted(value);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private void count(Method method) {
        String name = method.getName();
        boolean sends = name.startsWith("execute") || name.equals("commit") || name.equals("rollback");
        if (sends && Thread.currentThread() == caller) {
            roundTrips.incrementAndGet();
        }
    }

    private Object counted(Object value) {
        if (value instanceof Connection) {
            return counting(Connection.class, value);
        }
        if (value instanceof PreparedStatement) {
            return counting(PreparedStatement.class, value);
        }
        return value instanceof Statement ? counting(Statement.class, value) : value;
    }
}
