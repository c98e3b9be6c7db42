package dev.longhaul.kubernetes.cluster;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.Claim;
import dev.longhaul.kubernetes.job.PodNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Jobs and pods of one namespace. One informer for Jobs and one for pods keep it up to date, without a request per
 * Job. After a lost connection an informer lists all objects again. A change may then be reported late, or not at all
 * if the object has changed again. The connection of a watch may also die without an error: a list once a minute finds
 * what such a watch has missed.
 */
public final class NamespaceView implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceView.class);
    private static final long RESYNC = TimeUnit.HOURS.toMillis(1);
    private static final long RELIST_SECONDS = 60;
    private static final long CLOSE_MILLIS = 100;

    private final String namespace;
    private final Map<String, Tracked> tracked = new ConcurrentHashMap<>();
    private final Listable<? extends KubernetesResourceList<Job>> allJobs;
    private final Listable<? extends KubernetesResourceList<Pod>> allPods;
    private final SharedIndexInformer<Job> jobs;
    private final SharedIndexInformer<Pod> pods;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final BackgroundLoop relists;

    NamespaceView(
            String namespace,
            FilterWatchListDeletable<Job, ? extends KubernetesResourceList<Job>, ?> allJobs,
            FilterWatchListDeletable<Pod, ? extends KubernetesResourceList<Pod>, ?> allPods) {
        this.namespace = namespace;
        this.allJobs = allJobs;
        this.allPods = allPods;
        this.jobs = allJobs.runnableInformer(RESYNC).addEventHandler(handler(JOB));
        this.pods = allPods.runnableInformer(RESYNC).addEventHandler(handler(POD));
        jobs.exceptionHandler((started, e) -> retry("jobs", e));
        pods.exceptionHandler((started, e) -> retry("pods", e));
        jobs.start();
        pods.start();
        relists = BackgroundLoop.helper("pods", this::relistLater);
    }

    /** Jobs, or pods. */
    private interface Kind<T> {
        /** The name of the object's Job; null if it belongs to no run. */
        @Nullable
        String job(T object);

        void apply(Tracked tracked, T now, boolean deleted);

        /** The last reported state; null if none was reported, or the object was deleted. */
        @Nullable
        T known(Tracked.Seen seen);
    }

    private static final Kind<Job> JOB = new Kind<>() {
        @Override
        public String job(Job object) {
            return object.getMetadata().getName();
        }

        @Override
        public void apply(Tracked tracked, Job now, boolean deleted) {
            tracked.job(now, deleted);
        }

        @Override
        public @Nullable Job known(Tracked.Seen seen) {
            return seen.jobDeleted() ? null : seen.job();
        }
    };

    private static final Kind<Pod> POD = new Kind<>() {
        @Override
        public @Nullable String job(Pod object) {
            return PodNames.ofPod(object);
        }

        @Override
        public void apply(Tracked tracked, Pod now, boolean deleted) {
            tracked.pod(now, deleted);
        }

        @Override
        public @Nullable Pod known(Tracked.Seen seen) {
            return seen.podDeleted() ? null : seen.pod();
        }
    };

    private boolean retry(String what, Throwable e) {
        LOG.warn("reading {} of namespace {} failed; retrying: {}", what, namespace, String.valueOf(e.getMessage()));
        return true;
    }

    private boolean relistLater() throws InterruptedException {
        if (closed.await(RELIST_SECONDS, TimeUnit.SECONDS)) {
            return false;
        }
        if (synced()) {
            try {
                relist();
            } catch (KubernetesClientException e) {
                LOG.debug("listing the Jobs and pods of namespace {} failed; retrying", namespace, e);
            }
        }
        return true;
    }

    /** Reads all Jobs and pods and applies the changes that the informers have not reported. */
    public void relist() {
        int missed = relist(JOB, allJobs) + relist(POD, allPods);
        if (missed > 0) {
            LOG.info("namespace {}: {} changes had not been reported by the watch", namespace, missed);
        }
    }

    private <T extends HasMetadata> int relist(Kind<T> kind, Listable<? extends KubernetesResourceList<T>> all) {
        long began = System.nanoTime();
        Map<String, Tracked> before = all();
        Map<String, T> now = new HashMap<>();
        for (T object : all.list().getItems()) {
            String job = kind.job(object);
            if (job != null && PodNames.run(job) > 0) {
                now.put(job, object);
            }
        }
        int missed = 0;
        for (Map.Entry<String, T> one : now.entrySet()) {
            // A Job that is no longer tracked was deleted since.
            Tracked known = before.containsKey(one.getKey()) ? tracked.get(one.getKey()) : track(one.getKey());
            if (known == null) {
                continue;
            }
            T last = kind.known(known.seen());
            boolean newer = known.reportedSince(began) && (last != null || before.containsKey(one.getKey()));
            if (differs(last, one.getValue()) && !newer) {
                kind.apply(known, one.getValue(), false);
                missed++;
            }
        }
        for (Map.Entry<String, Tracked> one : before.entrySet()) {
            T last = kind.known(one.getValue().seen());
            if (last != null
                    && !now.containsKey(one.getKey())
                    && !one.getValue().reportedSince(began)) {
                kind.apply(one.getValue(), last, true);
                forgetIfGone(one.getKey());
                missed++;
            }
        }
        return missed;
    }

    private static boolean differs(@Nullable HasMetadata known, HasMetadata now) {
        return known == null
                || !known.getMetadata()
                        .getResourceVersion()
                        .equals(now.getMetadata().getResourceVersion());
    }

    private <T extends HasMetadata> ResourceEventHandler<T> handler(Kind<T> kind) {
        BiConsumer<T, Boolean> report = (object, deleted) -> {
            String job = kind.job(object);
            if (job != null && PodNames.run(job) > 0) {
                kind.apply(track(job), object, deleted);
                forgetIfGone(job);
            }
        };
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object) {
                report.accept(object, false);
            }

            @Override
            public void onUpdate(T before, T object) {
                report.accept(object, false);
            }

            @Override
            public void onDelete(T object, boolean unknownFinalState) {
                report.accept(object, true);
            }
        };
    }

    private void forgetIfGone(String name) {
        tracked.computeIfPresent(name, (key, one) -> one.seen().gone() ? null : one);
    }

    /** Removes a Job that was never reported, because it was not created. */
    public void forgetIfEmpty(String name) {
        tracked.computeIfPresent(name, (key, one) -> one.seen().empty() ? null : one);
    }

    /** Returns the Job of that name. Tracks it from now on if it is unknown. */
    public Tracked track(String name) {
        return tracked.computeIfAbsent(name, key -> new Tracked());
    }

    /** Returns the Job of that name; null if it is unknown. */
    public @Nullable Tracked find(String name) {
        return tracked.get(name);
    }

    /** Returns the names of known Jobs of earlier runs of the claim's job. */
    public List<String> earlier(Claim claim) {
        return tracked.keySet().stream()
                .filter(name -> claim.jobId().equals(PodNames.jobId(name)) && PodNames.run(name) < claim.run())
                .toList();
    }

    /** Returns all known Jobs by name. */
    public Map<String, Tracked> all() {
        return Map.copyOf(tracked);
    }

    public Collection<Tracked> values() {
        return tracked.values();
    }

    /** Records a pod of a run that was read from the API server. */
    public void read(Pod pod) {
        String job = PodNames.ofPod(pod);
        if (job != null) {
            track(job).pod(pod, false);
        }
    }

    /** Returns whether the informers have read all objects once. */
    public boolean synced() {
        return jobs.hasSynced() && pods.hasSynced();
    }

    public String namespace() {
        return namespace;
    }

    @Override
    public void close() {
        closed.countDown();
        relists.close(CLOSE_MILLIS);
        jobs.stop();
        pods.stop();
    }
}
