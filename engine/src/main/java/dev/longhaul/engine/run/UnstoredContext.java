package dev.longhaul.engine.run;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobLog;
import dev.longhaul.JobStoppedException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.log.LineLog;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.json.TypeRef;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The context of code that runs without a stored job: only its log is kept, other reports are discarded. An interrupt
 * stops it.
 */
public final class UnstoredContext implements JobContext, JobLog {
    private final DefinitionRef definition;
    private final String token = "unstored-" + UUID.randomUUID() + "/1";
    private final Instant deadline;
    private final @Nullable DataSource dataSource;
    private final Logger logger;

    public UnstoredContext(JobDefinition<?, ?> definition, @Nullable DataSource dataSource) {
        this.definition = definition.ref();
        this.deadline = Instant.now().plus(definition.timeout());
        this.dataSource = dataSource;
        this.logger = RunContext.logger(this.definition.key());
    }

    @Override
    public @Nullable JobId jobId() {
        return null;
    }

    @Override
    public DefinitionRef definition() {
        return definition;
    }

    @Override
    public int run() {
        return 1;
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public @Nullable String correlationId() {
        return null;
    }

    @Override
    public Instant deadline() {
        return deadline;
    }

    @Override
    public String runToken() {
        return token;
    }

    @Override
    public void progress(int percent, @Nullable String message) {}

    @Override
    public JobLog log() {
        return this;
    }

    @Override
    public void info(String message, @Nullable Object... arguments) {
        logger.info(message, arguments);
    }

    @Override
    public void warn(String message, @Nullable Object... arguments) {
        logger.warn(message, arguments);
    }

    @Override
    public void error(String message, @Nullable Object... arguments) {
        logger.error(message, arguments);
    }

    @Override
    public JobLog with(String key, @Nullable Object value) {
        LineLog.Sink sink = (level, line, data) -> RunContext.log(logger, level, line, data.json());
        return new LineLog(sink).with(key, value);
    }

    @Override
    public void emit(String name, @Nullable Object payload) {}

    @Override
    public boolean cancelled() {
        return Thread.currentThread().isInterrupted() || Instant.now().isAfter(deadline);
    }

    @Override
    public void throwIfCancelled() {
        if (cancelled()) {
            throw new JobStoppedException("interrupted, or past its deadline " + deadline);
        }
    }

    /** Never called: there is no stored job to cancel. */
    @Override
    public void onCancel(Runnable action) {}

    @Override
    public boolean draining() {
        return false;
    }

    @Override
    public DataSource dataSource() {
        return required(dataSource);
    }

    static DataSource required(@Nullable DataSource dataSource) {
        if (dataSource == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "dataSource: none (expected: a worker that runs on PostgreSQL)");
        }
        return dataSource;
    }

    @Override
    public <T extends @Nullable Object> T step(String name, TypeRef<T> type, Callable<T> work) throws Exception {
        return work.call();
    }
}
