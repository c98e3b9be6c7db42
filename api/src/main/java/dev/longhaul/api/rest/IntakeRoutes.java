package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.intake.Deferrals;
import dev.longhaul.spi.Store;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reports how far the log of an intake is stored. */
public final class IntakeRoutes {
    private final Store store;

    public IntakeRoutes(Store store) {
        this.store = store;
    }

    public List<Route> routes() {
        return List.of(Route.get("/v1/intake", Role.OPERATOR, this::intake));
    }

    private Response intake(Call call) {
        call.query().done();
        Optional<Deferrals> deferrals = store.capability(Deferrals.class);
        List<Deferrals.Partition> partitions =
                deferrals.map(Deferrals::partitions).orElse(List.of());
        return Answer.ok(out -> out.object(() -> {
            out.flag("enabled", deferrals.isPresent());
            if (partitions.stream().allMatch(one -> one.waiting() != null)) {
                out.number(
                        "waiting",
                        partitions.stream()
                                .mapToLong(one -> Objects.requireNonNull(one.waiting()))
                                .sum());
            }
            out.list("partitions", partitions, one -> write(out, one));
        }));
    }

    private static void write(Answer out, Deferrals.Partition partition) {
        out.object(() -> {
            out.number("partition", partition.stored().partition());
            out.number("nextOffset", partition.stored().nextOffset());
            out.number("waiting", partition.waiting());
            out.time("storedUntil", partition.stored().at());
        });
    }
}
