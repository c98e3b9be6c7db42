package dev.longhaul.kubernetes.job;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names, labels and annotations of Jobs and pods. */
public final class PodNames {
    public static final String CLUSTER = "longhaul.dev/cluster";
    public static final String JOB = "longhaul.dev/job";
    public static final String RUN = "longhaul.dev/run";
    public static final String DEFINITION = "longhaul.dev/definition";
    public static final String QUEUE = "longhaul.dev/queue";
    /** Annotation: the id of the worker that follows the Job; empty if the worker released the Job for another one. */
    public static final String FOLLOWER = "longhaul.dev/follower";
    /** Annotation: the number of workers that have followed the Job. */
    public static final String FOLLOWERS = "longhaul.dev/followers";
    /** Annotation: the definition with its version. */
    public static final String DEFINITION_REF = "longhaul.dev/definition-ref";
    /** Annotation: the timestamp of a log line; the follower has stored all lines up to it. */
    public static final String LOGGED = "longhaul.dev/logged-until";
    /** The name of the container that runs the code. */
    public static final String CONTAINER = "job";

    private static final Pattern NAME =
            Pattern.compile("lh-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-r([1-9][0-9]{0,8})");
    private static final int LONGEST_LABEL = 63;

    private PodNames() {}

    /** Returns the name of the Job and of the Secret of a run. */
    public static String of(JobId id, int run) {
        return "lh-" + id + "-r" + run;
    }

    public static String of(Claim claim) {
        return of(claim.jobId(), claim.run());
    }

    /** Returns the number of the run whose Job has that name; 0 if the name is not the name of a run's Job. */
    public static int run(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches() && jobId(name) != null ? Integer.parseInt(parts.group(2)) : 0;
    }

    /** Returns the id of the job whose run's Job has that name; null if the name is not the name of a run's Job. */
    public static @Nullable JobId jobId(String name) {
        Matcher parts = NAME.matcher(name);
        try {
            return parts.matches() ? JobId.parse(parts.group(1)) : null;
        } catch (LonghaulException e) {
            return null;
        }
    }

    /** Returns the name of the Job that a pod belongs to, from the pod's labels; null if it belongs to no run. */
    public static @Nullable String ofPod(HasMetadata pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        String id = labels == null ? null : labels.get(JOB);
        return id == null ? null : "lh-" + id + "-r" + labels.get(RUN);
    }

    /** Returns how many workers have followed the Job; 1 if the annotation is missing or not a number. */
    public static int followers(HasMetadata job) {
        String text = annotation(job, FOLLOWERS);
        return text == null || !text.matches("[0-9]{1,9}") ? 1 : Integer.parseInt(text);
    }

    public static @Nullable String annotation(HasMetadata object, String name) {
        Map<String, String> all = object.getMetadata().getAnnotations();
        return all == null ? null : all.get(name);
    }

    /** Returns the text as a label value. Characters that Kubernetes does not allow there are replaced. */
    static String label(String text) {
        String allowed = text.replaceAll("[^A-Za-z0-9_.-]", "_");
        String cut = allowed.length() > LONGEST_LABEL ? allowed.substring(0, LONGEST_LABEL) : allowed;
        return cut.replaceAll("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "");
    }
}
