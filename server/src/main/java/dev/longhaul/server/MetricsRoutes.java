package dev.longhaul.server;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.longhaul.access.Role;
import dev.longhaul.observe.Meters;
import dev.longhaul.observe.StoreGauges;
import dev.longhaul.store.JobStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** Metrics for Prometheus: those of the metered store, or only those of the cluster if the store is not metered into a Prometheus registry. */
final class MetricsRoutes {
    private static final MediaType TEXT = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

    private final Meters meters;
    private final PrometheusMeterRegistry registry;
    private final StoreGauges gauges;

    MetricsRoutes(JobStore store, Live live) {
        this.meters = Meters.of(store)
                .filter(known -> known.registry() instanceof PrometheusMeterRegistry)
                .orElseGet(() -> new Meters(PrometheusRegistry.create()));
        this.registry = (PrometheusMeterRegistry) meters.registry();
        Gauge.builder("longhaul.streams", live, Live::streams)
                .description("Streams of events that are open on this server.")
                .register(registry);
        this.gauges = new StoreGauges(store, registry);
    }

    List<Route> routes() {
        return List.of(Route.get("/metrics", Role.OPERATOR, this::scrape));
    }

    private HttpResponse scrape(Call call) {
        call.query().done();
        gauges.refresh();
        meters.refresh();
        return HttpResponse.of(HttpStatus.OK, TEXT, registry.scrape());
    }
}
