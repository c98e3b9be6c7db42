package dev.longhaul.kubernetes.cluster;

import dev.longhaul.job.Claim;
import dev.longhaul.kubernetes.job.PodNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Jobs and pods of one namespace. One informer for Jobs and one for pods keep it up to date, without a request per
 * Job. After a lost connection an informer lists all objects again. A change may then be reported late, or not at all
 * if the object has changed again.
 */
public final class NamespaceView implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceView.class);
    private static final long RESYNC = TimeUnit.HOURS.toMillis(1);

    private final String namespace;
    private final Map<String, Tracked> tracked = new ConcurrentHashMap<>();
    private final SharedIndexInformer<Job> jobs;
    private final SharedIndexInformer<Pod> pods;

    NamespaceView(String namespace, Informing<Job> jobInformer, Informing<Pod> podInformer) {
        this.namespace = namespace;
        this.jobs = jobInformer.create(handler(job -> job.getMetadata().getName(), Tracked::job), RESYNC);
        this.pods = podInformer.create(handler(PodNames::ofPod, Tracked::pod), RESYNC);
        jobs.exceptionHandler((started, e) -> retry("jobs", e));
        pods.exceptionHandler((started, e) -> retry("pods", e));
        jobs.start();
        pods.start();
    }

    /** Creates an informer that is not started. */
    interface Informing<T> {
        SharedIndexInformer<T> create(ResourceEventHandler<T> handler, long resync);
    }

    private interface Change<T> {
        void apply(Tracked tracked, T now, boolean deleted);
    }

    private interface Name<T> {
        @Nullable
        String of(T object);
    }

    private boolean retry(String what, Throwable e) {
        LOG.warn("reading {} of namespace {} failed; retrying: {}", what, namespace, String.valueOf(e.getMessage()));
        return true;
    }

    private <T extends HasMetadata> ResourceEventHandler<T> handler(Name<T> name, Change<T> change) {
        BiConsumer<T, Boolean> report = (object, deleted) -> {
            String job = name.of(object);
            if (job != null && PodNames.run(job) > 0) {
                change.apply(track(job), object, deleted);
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

    /** Returns whether the informers have read all objects once. */
    public boolean synced() {
        return jobs.hasSynced() && pods.hasSynced();
    }

    public String namespace() {
        return namespace;
    }

    @Override
    public void close() {
        jobs.stop();
        pods.stop();
    }
}
