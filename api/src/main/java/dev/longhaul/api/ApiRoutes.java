package dev.longhaul.api;

import dev.longhaul.Longhaul;
import dev.longhaul.api.access.AccessAudit;
import dev.longhaul.api.access.AuditRoutes;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.rest.BulkRoutes;
import dev.longhaul.api.rest.ClusterRoutes;
import dev.longhaul.api.rest.DefinitionRoutes;
import dev.longhaul.api.rest.DocsRoutes;
import dev.longhaul.api.rest.IntakeRoutes;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.api.rest.JobRoutes;
import dev.longhaul.api.rest.ReadRoutes;
import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.api.rest.ScalingRoutes;
import dev.longhaul.api.rest.ScheduleRoutes;
import dev.longhaul.api.rest.StatsRoutes;
import dev.longhaul.api.rest.SubmitRoutes;
import dev.longhaul.api.rest.WebhookRoutes;
import dev.longhaul.api.stream.JobStreams;
import dev.longhaul.api.stream.StreamRoutes;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The routes of the API that every server and every embedding application serves, however its callers log in. */
public final class ApiRoutes {
    private ApiRoutes() {}

    /**
     * Returns all routes, each with the role it requires.
     *
     * @param url the base URL for links to jobs; null makes the links relative to the server
     */
    public static List<Route> of(
            Longhaul longhaul, JobStreams live, AccessAudit audit, RequestTracing tracing, @Nullable URI url) {
        Store store = longhaul.store();
        Jobs jobs = longhaul.jobs();
        var json = new JobJson(jobs, url);
        var reads = new ReadRoutes(store, json, audit);
        return Stream.of(
                        new SubmitRoutes(jobs, json, tracing).routes(),
                        reads.routes(),
                        new StreamRoutes(live, reads, json).routes(),
                        new JobRoutes(jobs, json).routes(),
                        new BulkRoutes(store, jobs).routes(),
                        new DefinitionRoutes(store).routes(),
                        new ClusterRoutes(longhaul).routes(),
                        new ScalingRoutes(store.queues()).routes(),
                        new ScheduleRoutes(longhaul.schedules(), store, json).routes(),
                        new IntakeRoutes(store).routes(),
                        new StatsRoutes(store).routes(),
                        new WebhookRoutes(store).routes(),
                        new AuditRoutes(store.access()).routes(),
                        new DocsRoutes().routes())
                .flatMap(List::stream)
                .toList();
    }
}
