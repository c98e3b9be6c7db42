package dev.longhaul.server.rest;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.longhaul.access.Role;
import dev.longhaul.observe.Meters;
import dev.longhaul.observe.StoreGauges;
import dev.longhaul.server.PrometheusRegistry;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Route;
import dev.longhaul.server.stream.JobStreams;
import dev.longhaul.spi.Store;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Metrics for Prometheus: those of this process, if it has any, and those of the whole cluster. */
public final class MetricsRoutes {
    private static final MediaType TEXT = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

    private final Meters meters;
    private final PrometheusMeterRegistry registry;
    private final StoreGauges gauges;

    public MetricsRoutes(@Nullable Meters known, Store store, JobStreams live) {
        this.meters = known == null ? new Meters(PrometheusRegistry.create()) : known;
        this.registry = (PrometheusMeterRegistry) meters.registry();
        Gauge.builder("longhaul.streams", live, JobStreams::streams)
                .description("Streams of events that are open on this server.")
                .register(registry);
        this.gauges = new StoreGauges(store, registry);
    }

    public List<Route> routes() {
        return List.of(Route.get("/metrics", Role.OPERATOR, this::scrape));
    }

    private HttpResponse scrape(Call call) {
        call.query().done();
        gauges.refresh();
        meters.refresh();
        return HttpResponse.of(HttpStatus.OK, TEXT, registry.scrape());
    }
}
