package dev.longhaul.client;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.ReportWorkerRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Makes a worker and its definitions known to the server. */
final class RpcCatalog implements Catalog {
    private final JobServiceGrpc.JobServiceBlockingStub jobs;
    private final Duration patience;
    private volatile List<KnownDefinition> registered = List.of();

    RpcCatalog(JobServiceGrpc.JobServiceBlockingStub jobs, Duration patience) {
        this.jobs = jobs;
        this.patience = patience;
    }

    @Override
    public void register(List<KnownDefinition> definitions) {
        registered = List.copyOf(definitions);
        send(definitions, false);
    }

    /** Definitions of that key have hooks. */
    void hooked(String key) {
        send(registered.stream().filter(one -> one.ref().key().equals(key)).toList(), true);
    }

    private void send(List<KnownDefinition> definitions, boolean hooks) {
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
                    .setHasHooks(hooks);
        }
        call(jobs -> jobs.registerDefinitions(request.build()));
    }

    private void call(Function<JobServiceGrpc.JobServiceBlockingStub, ?> method) {
        try {
            var unused = method.apply(jobs.withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (StatusRuntimeException e) {
            throw RpcFailure.of(e);
        }
    }

    @Override
    public List<KnownDefinition> decide(List<Registration> registrations) {
        throw notHere();
    }

    @Override
    public KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
        throw notHere();
    }

    @Override
    public boolean delete(DefinitionRef ref) {
        throw notHere();
    }

    private static LonghaulException notHere() {
        return new LonghaulException(ErrorCode.FAILED_PRECONDITION, "definitions are declared and deleted over REST");
    }

    @Override
    public List<KnownDefinition> definitions() {
        return List.of();
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        return Optional.empty();
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        return Optional.empty();
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

    @Override
    public void gone(String workerId) {
        var request = ReportWorkerRequest.newBuilder().setWorkerId(workerId).setGone(true);
        call(jobs -> jobs.reportWorker(request.build()));
    }

    @Override
    public List<KnownWorker> workers() {
        return List.of();
    }
}
