package dev.longhaul.client;

import dev.longhaul.job.Claim;
import dev.longhaul.rpc.v1.BeginJobsRequest;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.work.Verdict;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Reports to the server that dequeued jobs start to run. */
final class RpcBegins {
    private static final int LARGEST_CALL = 1000;

    private final JobServiceGrpc.JobServiceBlockingStub jobs;
    private final Duration timeout;
    private final Tasks tasks;

    RpcBegins(JobServiceGrpc.JobServiceBlockingStub jobs, Duration timeout, Tasks tasks) {
        this.jobs = jobs;
        this.timeout = timeout;
        this.tasks = tasks;
    }

    /** Returns one verdict per claim, in order. The verdict of a claim whose run has ended on this worker is lost. */
    List<Verdict> begin(List<Claim> claims) {
        var begun = new HashSet<Claim>();
        for (int from = 0; from < claims.size(); from += LARGEST_CALL) {
            begun.addAll(begun(claims.subList(from, Math.min(from + LARGEST_CALL, claims.size()))));
        }
        return claims.stream()
                .map(claim -> begun.contains(claim) ? Verdict.WON : Verdict.LOST)
                .toList();
    }

    private Set<Claim> begun(List<Claim> claims) {
        var sent = new ArrayList<Claim>();
        var request = BeginJobsRequest.newBuilder();
        for (Claim claim : claims) {
            tasks.find(claim).ifPresent(task -> {
                sent.add(claim);
                request.addTaskTokens(task.token());
            });
        }
        var begun = new HashSet<Claim>();
        if (!sent.isEmpty()) {
            List<Boolean> results = call(request.build());
            for (int i = 0; i < sent.size(); i++) {
                if (results.get(i)) {
                    begun.add(sent.get(i));
                }
            }
        }
        return begun;
    }

    private List<Boolean> call(BeginJobsRequest request) {
        try {
            return jobs.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .beginJobs(request)
                    .getBegunList();
        } catch (StatusRuntimeException e) {
            throw RpcFailure.of(e);
        }
    }
}
