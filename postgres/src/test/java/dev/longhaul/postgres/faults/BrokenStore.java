package dev.longhaul.postgres.faults;

import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stores with one bug each, around a correct store. Methods without a bug are delegated. */
class BrokenStore {
    final Store sound;

    BrokenStore(Store sound) {
        this.sound = sound;
    }

    List<Inserted> insert(List<JobSpec> specs) {
        return sound.jobs().insert(specs);
    }

    List<ClaimedJob> claim(ClaimRequest request) {
        return sound.work().claim(request);
    }

    List<Verdict> save(List<RunUpdate> updates) {
        return sound.work().save(updates);
    }

    List<Verdict> apply(List<Transition> transitions) {
        return sound.work().apply(transitions);
    }

    KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
        return sound.catalog().declare(change, named, by);
    }

    /** This as a store: the overridden methods, and all others of the correct store. */
    @SuppressWarnings("unchecked")
    Store asStore() {
        return InterceptedStore.of(sound, (method, arguments, call) -> switch (method.getName()) {
            case "insert" -> insert((List<JobSpec>) arguments[0]);
            case "claim" -> claim((ClaimRequest) arguments[0]);
            case "save" -> save((List<RunUpdate>) arguments[0]);
            case "apply" -> apply((List<Transition>) arguments[0]);
            case "declare" ->
                declare((Declaration) arguments[0], (Set<Declaration.Field>) arguments[1], (String) arguments[2]);
            default -> call.goOn();
        });
    }

    /** Acknowledges a job that it does not store. */
    static final class LosesOne extends BrokenStore {
        LosesOne(Store sound) {
            super(sound);
        }

        @Override
        List<Inserted> insert(List<JobSpec> specs) {
            List<JobSpec> kept =
                    specs.stream().filter(spec -> spec.priority() != 5).toList();
            return sound.jobs().insert(kept);
        }
    }

    /** Hands a worker whose claim finds no job the jobs of the previous claim. */
    static final class HandsOutTwice extends BrokenStore {
        private List<ClaimedJob> last = List.of();

        HandsOutTwice(Store sound) {
            super(sound);
        }

        @Override
        List<ClaimedJob> claim(ClaimRequest request) {
            List<ClaimedJob> jobs = sound.work().claim(request);
            if (jobs.isEmpty() && request.workerId().equals("b")) {
                return last;
            }
            last = jobs;
            return jobs;
        }
    }

    /** Checks the job only, not the claim: every writer is accepted as the owner. */
    static final class Unfenced extends BrokenStore {
        private final Map<JobId, Claim> owners = new HashMap<>();
        private final boolean reports;

        /** @param reports whether reports are not fenced, or else outcomes */
        Unfenced(Store sound, boolean reports) {
            super(sound);
            this.reports = reports;
        }

        private Claim owner(Claim claim) {
            return owners.getOrDefault(claim.jobId(), claim);
        }

        @Override
        List<ClaimedJob> claim(ClaimRequest request) {
            List<ClaimedJob> jobs = sound.work().claim(request);
            jobs.forEach(job -> owners.put(job.claim().jobId(), job.claim()));
            return jobs;
        }

        @Override
        List<Verdict> save(List<RunUpdate> updates) {
            return sound.work()
                    .save(
                            !reports
                                    ? updates
                                    : updates.stream()
                                            .map(one -> new RunUpdate(
                                                    owner(one.claim()), one.progress(), one.steps(), one.events()))
                                            .toList());
        }

        @Override
        List<Verdict> apply(List<Transition> transitions) {
            return sound.work()
                    .apply(
                            reports
                                    ? transitions
                                    : transitions.stream()
                                            .map(one -> one instanceof Transition.Succeed success
                                                    ? Transition.succeed(owner(one.claim()), success.result())
                                                    : one)
                                            .toList());
        }
    }

    /** Ignores run times. */
    static final class RunsEarly extends BrokenStore {
        RunsEarly(Store sound) {
            super(sound);
        }

        @Override
        List<Inserted> insert(List<JobSpec> specs) {
            return sound.jobs()
                    .insert(specs.stream()
                            .map(spec -> spec.toBuilder().runTime(RunAt.now()).build())
                            .toList());
        }
    }

    /** Ignores limits. */
    static final class Unlimited extends BrokenStore {
        Unlimited(Store sound) {
            super(sound);
        }

        @Override
        KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
            return super.declare(new Declaration(change.ref(), null, null, null, null, null, 0), named, by);
        }
    }

    /** Hands out the least urgent job first. */
    static final class Reverses extends BrokenStore {
        Reverses(Store sound) {
            super(sound);
        }

        @Override
        List<ClaimedJob> claim(ClaimRequest request) {
            var jobs = new ArrayList<>(sound.work().claim(request));
            Collections.reverse(jobs);
            return jobs;
        }
    }

    /** Retries a failed job without a request. */
    static final class RevivesFailed extends BrokenStore {
        RevivesFailed(Store sound) {
            super(sound);
        }

        @Override
        List<Verdict> apply(List<Transition> transitions) {
            List<Verdict> verdicts = sound.work().apply(transitions);
            transitions.stream()
                    .filter(Transition.Fail.class::isInstance)
                    .forEach(one -> sound.jobs()
                            .execute(JobCommand.retry(one.claim().jobId(), null))
                            .job());
            return verdicts;
        }
    }
}
