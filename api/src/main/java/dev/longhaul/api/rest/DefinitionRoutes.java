package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.Declaration.Field;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists, declares and deletes definitions of the catalog. */
public final class DefinitionRoutes {
    private static final String ANYTHING = "true";

    private final Catalog catalog;

    public DefinitionRoutes(Store store) {
        this.catalog = store.catalog();
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/definitions", Role.VIEWER, this::definitions),
                Route.get("/v1/definitions/{key}", Role.VIEWER, this::definition),
                Route.put("/v1/definitions/{key}", Role.OPERATOR, this::declare),
                Route.delete("/v1/definitions/{key}", Role.OPERATOR, this::delete));
    }

    private Response definitions(Call call) {
        call.query().done();
        List<KnownDefinition> known = catalog.definitions();
        return Answer.ok(out -> out.object(() -> out.list("definitions", known, one -> write(out, one))));
    }

    private Response definition(Call call) {
        call.query().done();
        String name = call.path("key");
        List<KnownDefinition> found = catalog.definitions().stream()
                .filter(one ->
                        one.ref().key().equals(name) || one.ref().toString().equals(name))
                .toList();
        if (found.isEmpty()) {
            throw notFound(name);
        }
        return Answer.ok(out -> out.object(() -> out.list("definitions", found, one -> write(out, one))));
    }

    private Response declare(Call call) {
        Fields body = call.body();
        DefinitionRef ref = body.made(() -> ref(call.path("key")));
        var named = EnumSet.noneOf(Field.class);
        String paramsSchema = schema(body, "paramsSchema", Field.PARAMS_SCHEMA, named);
        String resultSchema = schema(body, "resultSchema", Field.RESULT_SCHEMA, named);
        String queue = body.text(name(body, "queue", Field.QUEUE, named));
        Integer maxAttempts = body.integer(name(body, "maxAttempts", Field.MAX_ATTEMPTS, named));
        Duration timeout = body.seconds(name(body, "timeoutSeconds", Field.TIMEOUT, named));
        Integer limit = body.integer(name(body, "concurrencyLimit", Field.CONCURRENCY_LIMIT, named));
        body.check(() -> KnownDefinition.checkSchemas(
                paramsSchema == null ? ANYTHING : paramsSchema, resultSchema == null ? ANYTHING : resultSchema));
        Declaration change = body.made(() -> {
            var values = new Declaration(
                    ref == null ? BuiltIn.TASK : ref, paramsSchema, resultSchema, queue, maxAttempts, timeout, limit);
            values.checkDefaults();
            return values;
        });
        body.done();
        return declare(call, Objects.requireNonNull(change), named);
    }

    /** Returns the name. Adds the field to {@code named} if the body contains it, even if its value is null. */
    private static String name(Fields body, String name, Field field, Set<Field> named) {
        if (body.has(name)) {
            named.add(field);
        }
        return name;
    }

    private static @Nullable String schema(Fields body, String name, Field field, Set<Field> named) {
        String json = body.json(name(body, name, field, named));
        return json == null || json.equals("null") ? null : json;
    }

    private Response declare(Call call, Declaration change, Set<Field> named) {
        String by = call.caller().name();
        KnownDefinition declared = catalog.declare(change, named, by);
        return Answer.ok(out -> write(out, declared));
    }

    private Response delete(Call call) {
        call.query().done();
        String name = call.path("key");
        DefinitionRef ref = ref(name);
        if (!catalog.delete(ref)) {
            throw notFound(name);
        }
        return Response.of(Status.NO_CONTENT);
    }

    private static LonghaulException notFound(String name) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "there is no definition " + Problem.brief(name));
    }

    private static DefinitionRef ref(String text) {
        int at = text.lastIndexOf('@');
        try {
            return new DefinitionRef(text.substring(0, at), Integer.parseInt(text.substring(at + 1)));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw Fields.bad("definition", Problem.brief(text), "key@version, such as video.transcode@2");
        }
    }

    private static void write(Answer out, KnownDefinition one) {
        out.object(() -> {
            out.text("definitionKey", one.ref().key());
            out.number("definitionVersion", one.ref().version());
            out.text("queue", one.defaults().queue());
            out.number("maxAttempts", one.defaults().maxAttempts());
            out.number("timeoutSeconds", one.defaults().timeout().toSeconds());
            out.number("concurrencyLimit", one.defaults().concurrencyLimit());
            out.json("paramsSchema", one.paramsSchema());
            out.json("resultSchema", one.resultSchema());
            out.text("source", one.declared() ? "operator" : "worker");
            out.text("registeredBy", one.registeredBy());
            out.time("updatedAt", one.updatedAt());
        });
    }
}
