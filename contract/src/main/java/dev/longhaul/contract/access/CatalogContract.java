package dev.longhaul.contract.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.json.JsonSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests the catalog of definitions and workers. */
public abstract class CatalogContract extends StoreContract {
    private static final KnownDefinition.Defaults DEFAULTS =
            new KnownDefinition.Defaults("slow", 5, Duration.ofMinutes(2), 7);
    private static final String OBJECT = "{\"type\":\"object\"}";

    private Catalog catalog() {
        return store().catalog();
    }

    private static KnownDefinition known(String key, int version, @Nullable String by) {
        return new KnownDefinition(new DefinitionRef(key, version), OBJECT, "true", DEFAULTS, by, Instant.EPOCH);
    }

    private static KnownDefinition withSchema(KnownDefinition definition, String schema) {
        return new KnownDefinition(
                definition.ref(), schema, "true", definition.defaults(), definition.declaredBy(), Instant.EPOCH);
    }

    @Nested
    class Definitions {
        @Test
        void are_none_in_an_empty_store() {
            assertThat(catalog().definitions()).isEmpty();
            assertThat(catalog().find(REPORT)).isEmpty();
            assertThat(catalog().latest("report")).isEmpty();
        }

        @Test
        void are_kept_as_a_worker_registers_them() {
            Instant before = now();
            catalog().register(List.of(known("report", 1, null)));

            KnownDefinition found = anotherStore().catalog().find(REPORT).orElseThrow();
            assertThat(found).isEqualTo(known("report", 1, null).storedAs(null, found.updatedAt()));
            assertThat(found.updatedAt()).isBetween(before, now());
            assertThat(found.declared()).isFalse();
        }

        @Test
        void come_by_key_and_version() {
            catalog().register(List.of(known("b", 1, null), known("a", 10, null), known("a", 9, null)));
            catalog().register(List.of());

            assertThat(catalog().definitions())
                    .extracting(one -> one.ref().toString())
                    .containsExactly("a@9", "a@10", "b@1");
        }

        @Test
        void are_found_by_their_highest_version() {
            catalog().register(List.of(known("a", 9, null), known("a", 10, null), known("ab", 11, null)));

            assertThat(catalog().latest("a").orElseThrow().ref()).isEqualTo(new DefinitionRef("a", 10));
            assertThat(catalog().latest("b")).isEmpty();
        }

        @Test
        void change_when_a_worker_registers_a_different_definition() {
            catalog().register(List.of(known("report", 1, null)));
            Instant first = catalog().find(REPORT).orElseThrow().updatedAt();
            advance(HOUR);
            catalog().register(List.of(known("report", 1, null)));
            assertThat(catalog().find(REPORT).orElseThrow().updatedAt()).isEqualTo(first);

            catalog().register(List.of(withSchema(known("report", 1, null), "false")));
            KnownDefinition changed = catalog().find(REPORT).orElseThrow();
            assertThat(changed.paramsSchema()).isEqualTo("false");
            assertThat(changed.updatedAt()).isAfterOrEqualTo(first.plus(HOUR));
        }

        @Test
        void may_be_registered_twice_in_one_call() {
            catalog().register(List.of(known("report", 1, null), withSchema(known("report", 1, null), "false")));

            assertThat(catalog().definitions()).hasSize(1);
            assertThat(catalog().find(REPORT).orElseThrow().paramsSchema()).isEqualTo("false");
        }

        @Test
        void stay_as_an_operator_declares_them() {
            catalog().register(List.of(known("report", 1, null)));
            KnownDefinition declared = catalog().declare(withSchema(known("report", 1, "anna"), "false"));
            catalog().register(List.of(known("report", 1, null)));

            assertThat(declared.declaredBy()).isEqualTo("anna");
            assertThat(catalog().find(REPORT)).contains(declared);
            assertThat(catalog().declare(known("report", 1, "ben")).paramsSchema())
                    .isEqualTo(OBJECT);
        }

        @Test
        void are_not_declared_by_registering_them() {
            catalog().register(List.of(known("report", 1, "anna")));

            assertThat(catalog().find(REPORT).orElseThrow().declared()).isFalse();
        }

        @Test
        void can_be_created_from_those_with_code() {
            record Params(String url, int times) {}
            var definition = JobDefinition.of("report", Params.class, String.class)
                    .queue("slow")
                    .maxAttempts(2)
                    .timeout(Duration.ofSeconds(9))
                    .concurrencyLimit(3)
                    .handler((params, context) -> "done");
            catalog().register(List.of(KnownDefinition.of(definition)));

            KnownDefinition found = catalog().find(REPORT).orElseThrow();
            assertThat(found.defaults()).isEqualTo(new KnownDefinition.Defaults("slow", 2, Duration.ofSeconds(9), 3));
            assertThat(JsonSchema.parse(found.paramsSchema()).problems("params", "{\"url\":\"x\"}"))
                    .extracting(FieldError::field)
                    .containsExactly("params.times");
        }

        @Test
        void with_schemas_that_break_the_rules_are_refused() {
            LonghaulException refusal = assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> catalog().declare(withSchema(known("report", 1, "anna"), "{\"pattern\":\"a*\"}")));
            assertThat(refusal.errors()).extracting(FieldError::field).containsExactly("paramsSchema.pattern");
            assertRefused(
                    ErrorCode.INVALID_ARGUMENT, () -> catalog().declare(withSchema(known("report", 1, "anna"), "{")));
            assertThat(catalog().definitions()).isEmpty();
        }

        @Test
        void with_schemas_over_64_kib_are_refused() {
            String longest = "\"" + "x".repeat(JsonSchema.MOST_BYTES - 2) + "\"";
            catalog().register(List.of(withSchema(known("report", 1, null), longest)));
            LonghaulException refusal = assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> catalog()
                            .register(List.of(
                                    known("other", 1, null), withSchema(known("report", 1, null), longest + " "))));

            assertThat(refusal.errors()).extracting(FieldError::field).containsExactly("paramsSchema");
            assertThat(catalog().definitions()).hasSize(1);
        }

        @Test
        void need_a_name_for_the_operator_who_declares_them() {
            LonghaulException refusal =
                    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> catalog().declare(known("report", 1, null)));
            assertThat(refusal.errors()).extracting(FieldError::field).containsExactly("declaredBy");
        }

        @Test
        void have_valid_defaults() {
            LonghaulException refusal = assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> new KnownDefinition.Defaults("no spaces", 0, Duration.ofMillis(1), -1));
            assertThat(refusal.errors())
                    .extracting(FieldError::field)
                    .containsExactly("queue", "maxAttempts", "timeout", "concurrencyLimit");
        }
    }

    @Nested
    class Workers {
        @Test
        void are_none_in_an_empty_store() {
            assertThat(catalog().workers()).isEmpty();
            catalog().gone("never-heard-of");
            assertThat(catalog().workers()).isEmpty();
        }

        @Test
        void are_listed_with_their_reports() {
            Instant before = now();
            catalog().seen(report("w1", 3, false));

            KnownWorker worker = only(anotherStore().catalog());
            assertThat(worker.report()).isEqualTo(report("w1", 3, false));
            assertThat(worker.startedAt()).isBetween(before, now());
            assertThat(worker.lastSeenAt()).isEqualTo(worker.startedAt());
            assertThat(worker.state()).isEqualTo(KnownWorker.State.ACTIVE);
        }

        @Test
        void are_updated_by_later_reports() {
            catalog().seen(report("w1", 3, false));
            Instant started = only(catalog()).startedAt();
            advance(Duration.ofSeconds(10));
            catalog().seen(report("w1", 1, true));

            KnownWorker worker = only(catalog());
            assertThat(worker.report().running()).isEqualTo(1);
            assertThat(worker.startedAt()).isEqualTo(started);
            assertThat(worker.lastSeenAt()).isAfterOrEqualTo(started.plusSeconds(10));
            assertThat(worker.state()).isEqualTo(KnownWorker.State.DRAINING);
        }

        @Test
        void are_gone_once_they_have_shut_down() {
            catalog().seen(report("w1", 0, true));
            catalog().gone("w1");
            advance(Catalog.LOST_AFTER.multipliedBy(2));

            assertThat(only(catalog()).state()).isEqualTo(KnownWorker.State.GONE);
            catalog().seen(report("w1", 0, false));
            assertThat(only(catalog()).state()).isEqualTo(KnownWorker.State.ACTIVE);
        }

        @Test
        void are_lost_after_a_long_time_without_heartbeats() {
            catalog().seen(report("w1", 3, false));
            advance(Catalog.LOST_AFTER.minusSeconds(10));
            assertThat(only(catalog()).state()).isEqualTo(KnownWorker.State.ACTIVE);
            advance(Duration.ofSeconds(10));
            assertThat(only(catalog()).state()).isEqualTo(KnownWorker.State.LOST);
        }

        @Test
        void are_forgotten_after_a_day() {
            catalog().seen(report("w1", 3, false));
            advance(Catalog.FORGOTTEN_AFTER);
            assertThat(catalog().workers()).isEmpty();
            catalog().seen(report("w2", 3, false));
            catalog().seen(report("w1", 3, false));
            assertThat(catalog().workers())
                    .allMatch(worker -> worker.startedAt().isAfter(now().minus(HOUR)));
        }

        @Test
        void keep_their_order_whichever_reports_last() {
            for (String worker : List.of("w2", "w1", "w3", "w1", "w2")) {
                catalog().seen(report(worker, 0, false));
                advance(SECOND);
                assertThat(catalog().workers())
                        .extracting(known -> known.report().workerId())
                        .isSorted();
            }
            assertThat(catalog().workers()).hasSize(3);
        }

        @Test
        void report_themselves_in_storable_text() {
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> report("", 0, false));
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> report("w1", -1, false));
            catalog().seen(new WorkerReport("w1", "ho\u0000st", 1, "v\ud83d", List.of(), Set.of(), 1, 0, false));
            assertThat(only(catalog()).report().host()).isEqualTo("ho\ufffdst");
        }

        private static WorkerReport report(String id, int running, boolean draining) {
            return new WorkerReport(
                    id,
                    "host-1",
                    4711,
                    "1.0",
                    List.of("default", "slow"),
                    Set.of(REPORT, IMPORT),
                    8,
                    running,
                    draining);
        }

        private static KnownWorker only(Catalog catalog) {
            assertThat(catalog.workers()).hasSize(1);
            return catalog.workers().get(0);
        }
    }
}
