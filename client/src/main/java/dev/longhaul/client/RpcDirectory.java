package dev.longhaul.client;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.ReportWorkerRequest;
import dev.longhaul.spi.WorkerDirectory;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Registers a worker and its definitions with the server. */
final class RpcDirectory implements WorkerDirectory {
    private final JobServiceGrpc.JobServiceBlockingStub jobs;
    private final Duration timeout;

    RpcDirectory(JobServiceGrpc.JobServiceBlockingStub jobs, Duration timeout) {
        this.jobs = jobs;
        this.timeout = timeout;
    }

    @Override
    public void register(List<KnownDefinition> definitions, Set<String> hooked) {
        var request = RegisterDefinitionsRequest.newBuilder();
        for (KnownDefinition definition : definitions) {
            KnownDefinition.Defaults defaults = definition.defaults();
            request.addDefinitionsBuilder()
                    .setDefinition(definition.ref().toString())
                    .setParamsSchema(definition.paramsSchema())
                    .setResultSchema(definition.resultSchema())
                    .setQueue(defaults.queue())
                    .setMaxAttempts(defaults.maxAttempts())
                    .setTimeout(WireTime.of(defaults.timeout()))
                    .setConcurrencyLimit(defaults.concurrencyLimit())
                    .setHasHooks(hooked.contains(definition.ref().key()));
        }
        call(jobs -> jobs.registerDefinitions(request.build()));
    }

    private void call(Function<JobServiceGrpc.JobServiceBlockingStub, ?> method) {
        try {
            var unused = method.apply(jobs.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS));
        } catch (StatusRuntimeException e) {
            throw RpcFailure.of(e);
        }
    }

    @Override
    public void seen(WorkerReport report) {
        var request = ReportWorkerRequest.newBuilder()
                .setWorkerId(report.workerId())
                .setHost(report.host())
                .setPid(report.pid())
                .setVersion(report.version())
                .addAllQueues(report.queues())
                .setSlots(report.slots())
                .setRunning(report.running())
                .setDraining(report.draining());
        report.definitions().forEach(ref -> request.addDefinitions(ref.toString()));
        call(jobs -> jobs.reportWorker(request.build()));
    }

    /** Returns no claims: a worker without database access takes over no runs of other workers. */
    @Override
    public Map<String, Instant> heartbeats() {
        return Map.of();
    }

    @Override
    public void gone(String workerId) {
        var request = ReportWorkerRequest.newBuilder().setWorkerId(workerId).setGone(true);
        call(jobs -> jobs.reportWorker(request.build()));
    }
}
