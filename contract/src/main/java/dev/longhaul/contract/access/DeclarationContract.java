package dev.longhaul.contract.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.Declaration.Field;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests how operators' declarations override workers' registrations, who owns a definition, and its deletion. */
public abstract class DeclarationContract extends StoreContract {
    private static final String LOGIN = "{\"properties\":{\"password\":{\"writeOnly\":true}}}";
    private static final KnownDefinition.Defaults DEFAULTS =
            new KnownDefinition.Defaults("slow", 5, Duration.ofMinutes(2), 7);
    private static final KnownDefinition CODE = known(REPORT, LOGIN, null);
    private static final Declaration NOTHING = Declaration.nothing(REPORT);

    private Catalog catalog() {
        return store().catalog();
    }

    private static KnownDefinition known(DefinitionRef ref, String schema, @Nullable String registeredBy) {
        return new KnownDefinition(ref, schema, "true", DEFAULTS, null, Instant.EPOCH, registeredBy);
    }

    private static Declaration limit(@Nullable Integer limit) {
        return new Declaration(REPORT, null, null, null, null, null, limit);
    }

    private KnownDefinition found() {
        return anotherStore().catalog().find(REPORT).orElseThrow();
    }

    /** Returns a registration that makes the given decision. */
    private static Registration registration(
            DefinitionRef ref, Function<List<Registration.Present>, KnownDefinition> decision) {
        return new Registration() {
            @Override
            public DefinitionRef ref() {
                return ref;
            }

            @Override
            public KnownDefinition decide(List<Present> versions) {
                return decision.apply(versions);
            }
        };
    }

    private static Registration registration(KnownDefinition definition) {
        return registration(definition.ref(), versions -> definition);
    }

    @Nested
    class Declaring {
        @Test
        void sets_only_the_fields_it_names() {
            catalog().register(List.of(CODE));
            KnownDefinition declared = catalog().declare(limit(3), Set.of(Field.CONCURRENCY_LIMIT), "anna");

            assertThat(declared.paramsSchema()).isEqualTo(LOGIN);
            assertThat(declared.defaults())
                    .isEqualTo(new KnownDefinition.Defaults("slow", 5, Duration.ofMinutes(2), 3));
            assertThat(declared.declaredBy()).isEqualTo("anna");
            assertThat(found()).isEqualTo(declared);

            var change = new Declaration(REPORT, "false", null, "fast", 9, Duration.ofSeconds(5), 1);
            catalog().declare(change, Set.of(Field.QUEUE, Field.MAX_ATTEMPTS), "ben");
            assertThat(found().paramsSchema()).isEqualTo(LOGIN);
            assertThat(found().defaults()).isEqualTo(new KnownDefinition.Defaults("fast", 9, Duration.ofMinutes(2), 3));
            assertThat(found().declaredBy()).isEqualTo("ben");
        }

        @Test
        void leaves_other_fields_to_later_registrations() {
            catalog().register(List.of(CODE));
            catalog().declare(limit(3), Set.of(Field.CONCURRENCY_LIMIT), "anna");
            catalog().register(List.of(known(REPORT, "{\"type\":\"object\"}", null)));

            assertThat(found().paramsSchema()).isEqualTo("{\"type\":\"object\"}");
            assertThat(found().defaults().concurrencyLimit()).isEqualTo(3);
        }

        @Test
        void resets_fields_that_it_names_without_a_value() {
            catalog().register(List.of(CODE));
            Declaration change = new Declaration(REPORT, "true", "false", "fast", 9, Duration.ofSeconds(5), 1);
            catalog().declare(change, EnumSet.allOf(Field.class), "anna");
            KnownDefinition reset = catalog().declare(NOTHING, Set.of(Field.PARAMS_SCHEMA, Field.QUEUE), "anna");
            assertThat(reset.paramsSchema()).isEqualTo(LOGIN);
            assertThat(reset.defaults()).isEqualTo(new KnownDefinition.Defaults("slow", 9, Duration.ofSeconds(5), 1));
            assertThat(reset.declared()).isTrue();

            catalog().declare(NOTHING, EnumSet.allOf(Field.class), "anna");
            assertThat(found().sameAs(CODE)).isTrue();
            assertThat(found().declared()).as("nothing is left of it").isFalse();
        }

        @Test
        void of_a_definition_that_no_worker_registered_fills_in_defaults() {
            KnownDefinition declared = catalog().declare(NOTHING, Set.of(), "anna");

            assertThat(declared.defaults())
                    .isEqualTo(new KnownDefinition.Defaults("default", 3, Duration.ofHours(1), 0));
            assertThat(declared.paramsSchema()).isEqualTo("true");
            assertThat(found()).isEqualTo(declared);
            assertThat(catalog().latest("report")).contains(declared);
        }

        @Test
        void keeps_the_registered_schemas_beside_those_it_replaces_them_with() {
            catalog().register(List.of(CODE));
            Declaration change = new Declaration(REPORT, "{}", null, null, null, null, null);
            KnownDefinition declared = catalog().declare(change, Set.of(Field.PARAMS_SCHEMA), "anna");

            assertThat(declared.paramsSchema()).isEqualTo("{}");
            assertThat(declared.replaced()).isEqualTo(new KnownDefinition.Schemas(LOGIN, "true"));
            assertThat(found()).isEqualTo(declared);
            assertThat(catalog().latest("report")).contains(declared);
            assertThat(catalog().definitions()).containsExactly(declared);
            assertThat(catalog()
                            .declare(NOTHING, Set.of(Field.PARAMS_SCHEMA), "anna")
                            .replaced())
                    .isNull();
        }

        @Test
        void with_wrong_values_changes_nothing() {
            var change = new Declaration(REPORT, null, null, "no spaces", 0, null, null);
            LonghaulException refusal = assertRefused(
                    ErrorCode.INVALID_ARGUMENT, () -> catalog().declare(change, EnumSet.allOf(Field.class), "anna"));

            assertThat(refusal.errors()).extracting(FieldError::field).containsExactly("queue", "maxAttempts");
            assertThat(catalog().definitions()).isEmpty();
        }
    }

    @Nested
    class Deciding {
        @Test
        void sees_all_versions_of_the_key_and_the_registered_values() {
            var second = new DefinitionRef("report", 2);
            catalog().register(List.of(CODE, known(IMPORT, LOGIN, null)));
            catalog().declare(limit(3), Set.of(Field.CONCURRENCY_LIMIT), "anna");
            catalog().declare(Declaration.nothing(second), Set.of(), "anna");
            var seen = new ArrayList<Registration.Present>();
            var third = new DefinitionRef("report", 3);
            catalog().decide(List.of(registration(third, versions -> {
                seen.addAll(versions);
                return known(third, "true", "k1");
            })));

            assertThat(seen).extracting(one -> one.effective().ref()).containsExactly(REPORT, second);
            assertThat(seen.get(0).effective().defaults().concurrencyLimit()).isEqualTo(3);
            assertThat(present(seen.get(0).registered()).sameAs(CODE)).isTrue();
            assertThat(seen.get(1).registered()).isNull();
            assertThat(catalog().find(third).orElseThrow().registeredBy()).isEqualTo("k1");
        }

        @Test
        void returns_the_changed_definitions() {
            KnownDefinition byKey = known(REPORT, LOGIN, "k1");
            assertThat(catalog().decide(List.of(registration(byKey)))).hasSize(1);
            assertThat(catalog().decide(List.of(registration(byKey)))).isEmpty();
            assertThat(catalog().decide(List.of(registration(known(REPORT, LOGIN, "k2")))))
                    .isEmpty();
            assertThat(catalog().decide(List.of(registration(known(REPORT, "true", "k2")))))
                    .hasSize(1);
            assertThat(found().registeredBy()).isEqualTo("k2");
            assertThat(catalog().decide(List.of())).isEmpty();
        }

        @Test
        void stores_nothing_when_one_is_refused() {
            Registration refused = registration(IMPORT, versions -> {
                throw new LonghaulException(ErrorCode.PERMISSION_DENIED, "no");
            });
            assertRefused(ErrorCode.PERMISSION_DENIED, () -> catalog().decide(List.of(registration(CODE), refused)));

            assertThat(catalog().definitions()).isEmpty();
        }

        @Test
        void keeps_the_code_as_the_owner_of_its_definition() {
            catalog().register(List.of(CODE));
            catalog().decide(List.of(registration(known(REPORT, "true", "k1"))));
            assertThat(found().registeredBy()).isNull();
            assertThat(found().paramsSchema()).isEqualTo("true");

            catalog().decide(List.of(registration(known(IMPORT, "true", "k1"))));
            catalog().register(List.of(known(IMPORT, "true", null)));
            assertThat(catalog().find(IMPORT).orElseThrow().registeredBy())
                    .as("the code has it now")
                    .isNull();
        }
    }

    @Nested
    class Deleting {
        @Test
        void removes_the_registered_and_the_declared_values() {
            catalog().register(List.of(CODE, known(IMPORT, LOGIN, null)));
            catalog().declare(limit(3), Set.of(Field.CONCURRENCY_LIMIT), "anna");

            assertThat(catalog().delete(REPORT)).isTrue();
            assertThat(catalog().definitions()).extracting(KnownDefinition::ref).containsExactly(IMPORT);
            assertThat(catalog().delete(REPORT)).isFalse();
            catalog().register(List.of(CODE));
            assertThat(found().sameAs(CODE)).isTrue();
        }

        @Test
        void is_refused_while_jobs_are_held_wait_or_run() {
            catalog().register(List.of(CODE));
            insert(aJob(IMPORT).hold(true));
            var held = insert(aJob().hold(true)).id();
            assertRefused(ErrorCode.FAILED_PRECONDITION, () -> catalog().delete(REPORT));
            cancel(held);
            Claim claim = running();
            assertRefused(ErrorCode.FAILED_PRECONDITION, () -> catalog().delete(REPORT));
            assertThat(found().sameAs(CODE)).isTrue();

            win(Transition.succeed(claim, "1"));
            assertThat(catalog().delete(REPORT)).isTrue();
        }

        @Test
        void is_refused_while_active_workers_run_it() {
            catalog().register(List.of(CODE));
            catalog().seen(worker("w1", REPORT, false));
            catalog().seen(worker("w2", IMPORT, false));
            catalog().seen(worker("w3", REPORT, false));
            catalog().seen(worker("w4", REPORT, true));
            LonghaulException refusal =
                    assertRefused(ErrorCode.FAILED_PRECONDITION, () -> catalog().delete(REPORT));
            assertThat(refusal.getMessage()).contains("report@1", "w1", "w3").doesNotContain("w2", "w4");

            catalog().gone("w1");
            assertRefused(ErrorCode.FAILED_PRECONDITION, () -> catalog().delete(REPORT));
            advance(Catalog.LOST_AFTER);
            assertThat(catalog().delete(REPORT)).isTrue();
        }

        private static WorkerReport worker(String id, DefinitionRef definition, boolean draining) {
            return new WorkerReport(id, "host-1", 4711, "1.0", List.of("default"), Set.of(definition), 8, 0, draining);
        }
    }
}
