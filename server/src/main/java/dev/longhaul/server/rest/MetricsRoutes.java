package dev.longhaul.server.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.observe.Meters;
import dev.longhaul.observe.StoreGauges;
import dev.longhaul.spi.Store;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** Serves metrics for Prometheus: the metrics of this process, and those of the whole cluster. */
public final class MetricsRoutes {
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final Meters meters;
    private final PrometheusMeterRegistry registry;
    private final StoreGauges gauges;

    /** @param meters metrics of this process, in a Prometheus registry */
    public MetricsRoutes(Meters meters, Store store) {
        this.meters = meters;
        this.registry = (PrometheusMeterRegistry) meters.registry();
        this.gauges = new StoreGauges(store, registry);
    }

    public List<Route> routes() {
        return List.of(Route.get("/metrics", Role.OPERATOR, this::scrape));
    }

    private Response scrape(Call call) {
        call.query().done();
        return Response.of(Status.OK, TEXT, text());
    }

    /** Returns all metrics in Prometheus' text format. */
    public String text() {
        gauges.refresh();
        meters.refresh();
        return registry.scrape();
    }
}
