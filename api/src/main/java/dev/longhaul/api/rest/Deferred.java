package dev.longhaul.api.rest;

import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Status;
import dev.longhaul.intake.Deferrals;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Store;

/** Responses about writes that an intake has accepted and that are not stored yet. */
public final class Deferred {
    private static final String RETRY_AFTER_SECONDS = "1";

    private Deferred() {}

    /** The response about a job that is stored, or changed, later. */
    static Response.Complete response(JobId id) {
        return Answer.of(
                        Status.ACCEPTED,
                        out -> out.object(() -> {
                            out.text("jobId", id.toString());
                            out.flag("deferred", true);
                        }))
                .with("retry-after", RETRY_AFTER_SECONDS);
    }

    /** The response about a job that the store does not contain; throws {@code not_found} if none is deferred. */
    public static Response.Complete responseTo(Store store, JobId unknown) {
        boolean later = store.capability(Deferrals.class)
                .map(deferrals -> deferrals.mayBeStoredLater(unknown))
                .orElse(false);
        if (!later) {
            throw Refusal.notFound(unknown);
        }
        return response(unknown);
    }
}
