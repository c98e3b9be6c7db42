package dev.longhaul.server;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.longhaul.access.Role;
import dev.longhaul.server.metrics.Meters;
import dev.longhaul.server.metrics.StoreGauges;
import dev.longhaul.store.JobStore;
import io.micrometer.core.instrument.Gauge;
import java.util.List;

/** Figures for Prometheus. */
final class MetricsRoutes {
    private static final MediaType TEXT = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

    private final Meters meters;
    private final StoreGauges gauges;

    MetricsRoutes(JobStore store, Live live) {
        this.meters = Meters.of(store);
        Gauge.builder("longhaul.streams", live, Live::streams)
                .description("Streams of events that are open on this server.")
                .register(meters.registry());
        this.gauges = new StoreGauges(store, meters.registry());
    }

    List<Route> routes() {
        return List.of(Route.get("/metrics", Role.OPERATOR, this::scrape));
    }

    private HttpResponse scrape(Call call) {
        call.query().done();
        gauges.refresh();
        return HttpResponse.of(HttpStatus.OK, TEXT, meters.scrape());
    }
}
