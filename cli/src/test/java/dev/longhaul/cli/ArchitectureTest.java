package dev.longhaul.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.engine.upkeep.ScheduleFirer;
import dev.longhaul.intake.IntakeWriter;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Upkeep;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.WebhookStore;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Architecture rules for all modules; this module depends on all of them. Rules for core alone are in core. */
class ArchitectureTest {
    private static final String EMBEDDED = "dev.longhaul.embedded..";
    private static final String POSTGRES = "dev.longhaul.postgres..";
    private static final String CONTRACT = "dev.longhaul.contract..";
    private static final String MEMORY = "dev.longhaul.memory..";
    private static final String ENGINE = "dev.longhaul.engine..";
    private static final String PROCESS = "dev.longhaul.process..";
    private static final String SITTER = "dev.longhaul.process.sitter..";
    private static final String OBSERVE = "dev.longhaul.observe..";
    private static final String KUBERNETES = "dev.longhaul.kubernetes..";
    private static final String KAFKA = "dev.longhaul.kafka..";
    private static final String KOTLIN = "dev.longhaul.kotlin..";
    private static final String LIBRARY = "dev.longhaul";
    private static final String API = "dev.longhaul.api..";
    private static final String SPRING = "dev.longhaul.spring..";
    private static final String SERVER = "dev.longhaul.server..";
    private static final String DEMO = "dev.longhaul.demo..";
    private static final String BENCHMARKS = "dev.longhaul.bench..";
    private static final String CLI = "dev.longhaul.cli..";
    private static final String TESTING = "dev.longhaul.testing..";
    private static final String CLIENT = "dev.longhaul.client..";
    private static final String STUBS = "dev.longhaul.rpc..";

    /** Users' classes share one package, whether they are in core or in the library; the file name shows which. */
    private static final DescribedPredicate<JavaClass> CORE = resideInAnyPackage(
                    "dev.longhaul.access",
                    "dev.longhaul.catalog",
                    "dev.longhaul.error",
                    "dev.longhaul.event",
                    "dev.longhaul.intake",
                    "dev.longhaul.internal..",
                    "dev.longhaul.job",
                    "dev.longhaul.json",
                    "dev.longhaul.queue",
                    "dev.longhaul.schedule",
                    "dev.longhaul.spi",
                    "dev.longhaul.stats",
                    "dev.longhaul.usecase",
                    "dev.longhaul.webhook",
                    "dev.longhaul.work")
            .or(resideInAPackage("dev.longhaul").and(describe("from core", ArchitectureTest::isFromCore)))
            .as("core");

    private static boolean isFromCore(JavaClass type) {
        return type.getSource()
                .map(source -> source.getUri().toString())
                .filter(uri -> uri.contains("longhaul-core") || uri.contains("/core/target/"))
                .isPresent();
    }

    private static final JavaClasses LONGHAUL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.longhaul");

    @Nested
    class Dependencies {
        @Test
        void embedded_postgresql_knows_no_other_module() {
            classes()
                    .that()
                    .resideInAPackage(EMBEDDED)
                    .should()
                    .onlyDependOnClassesThat(
                            not(resideInAPackage("dev.longhaul..")).or(resideInAPackage(EMBEDDED)))
                    .check(LONGHAUL);
        }

        @Test
        void the_postgresql_store_knows_only_core() {
            classes()
                    .that()
                    .resideInAPackage(POSTGRES)
                    .should()
                    .onlyDependOnClassesThat(CORE.or(resideInAPackage(POSTGRES))
                            .or(resideInAnyPackage(
                                    "java..", "javax..", "org.jspecify..", "org.postgresql..", "org.slf4j..")))
                    .check(LONGHAUL);
        }

        @Test
        void in_the_postgresql_store_connections_know_no_feature_and_work_knows_no_maintenance() {
            String database = "dev.longhaul.postgres.database";
            noClasses()
                    .that()
                    .resideInAPackage(database)
                    .should()
                    .dependOnClassesThat(resideInAPackage(POSTGRES).and(not(resideInAPackage(database))))
                    .check(LONGHAUL);
            noClasses()
                    .that()
                    .resideInAPackage("dev.longhaul.postgres.work")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.longhaul.postgres.schedule",
                            "dev.longhaul.postgres.upkeep",
                            "dev.longhaul.postgres.webhook")
                    .check(LONGHAUL);
        }

        @Test
        void the_store_contract_knows_only_core() {
            knowsOnlyCore(CONTRACT);
        }

        @Test
        void jobs_in_kotlin_know_only_core_and_only_they_and_spring_know_kotlin() {
            knowsOnlyCore(KOTLIN);
            noClasses()
                    .that()
                    .resideOutsideOfPackages(KOTLIN, "dev.longhaul.spring.job")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("kotlin..", "kotlinx..", KOTLIN)
                    .check(LONGHAUL);
        }

        @Test
        void the_store_in_memory_and_the_engine_know_only_core() {
            knowsOnlyCore(MEMORY);
            knowsOnlyCore(ENGINE);
        }

        @Test
        void the_engine_that_runs_jobs_knows_of_stores_only_the_source_of_work() {
            noClasses()
                    .that()
                    .resideInAnyPackage("dev.longhaul.engine", "dev.longhaul.engine.run")
                    .should()
                    .dependOnClassesThat()
                    .belongToAnyOf(
                            Store.class,
                            JobStore.class,
                            QueueStore.class,
                            ScheduleStore.class,
                            ScheduleFires.class,
                            Upkeep.class,
                            Catalog.class,
                            AccessStore.class,
                            WebhookStore.class,
                            DeliveryQueue.class,
                            StatsStore.class)
                    .check(LONGHAUL);
        }

        /** Exceptions: the caller's own connection in the API, and code that opens or checks databases. */
        @Test
        void only_the_postgresql_store_knows_jdbc() {
            noClasses()
                    .that()
                    .resideOutsideOfPackages(POSTGRES, LIBRARY, SPRING, BENCHMARKS, CLI, TESTING)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.sql..", "org.postgresql..")
                    .check(LONGHAUL);
        }

        @Test
        void processes_know_only_core_and_the_worker_and_the_sitter_nothing() {
            classes()
                    .that()
                    .resideInAPackage(PROCESS)
                    .should()
                    .onlyDependOnClassesThat(
                            not(resideInAPackage("dev.longhaul..")).or(CORE).or(resideInAnyPackage(ENGINE, PROCESS)))
                    .check(LONGHAUL);
            classes()
                    .that()
                    .resideInAPackage(SITTER)
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(SITTER, "java..", "org.jspecify.."))
                    .check(LONGHAUL);
        }

        @Test
        void pods_know_only_core_the_engine_and_commands_and_only_the_command_line_knows_them() {
            classes()
                    .that()
                    .resideInAPackage(KUBERNETES)
                    .should()
                    .onlyDependOnClassesThat(not(resideInAPackage("dev.longhaul.."))
                            .or(CORE)
                            .or(resideInAnyPackage(
                                    ENGINE,
                                    "dev.longhaul.process.command",
                                    "dev.longhaul.process.supervise",
                                    KUBERNETES)))
                    .check(LONGHAUL);
            noClasses()
                    .that(not(resideInAnyPackage(KUBERNETES, CLI)))
                    .should()
                    .dependOnClassesThat(resideInAPackage(KUBERNETES))
                    .check(LONGHAUL);
            noClasses()
                    .that()
                    .resideInAPackage("dev.longhaul.kubernetes.job")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.longhaul.kubernetes", "dev.longhaul.kubernetes.cluster")
                    .check(LONGHAUL);
        }

        @Test
        void kafka_knows_only_core_and_only_the_command_line_knows_kafka() {
            knowsOnlyCore(KAFKA);
            noClasses()
                    .that(not(resideInAnyPackage(KAFKA, CLI, TESTING)))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(KAFKA, "org.apache.kafka.."))
                    .check(LONGHAUL);
        }

        @Test
        void the_client_knows_only_core_and_the_engine() {
            classes()
                    .that()
                    .resideInAPackage(CLIENT)
                    .should()
                    .onlyDependOnClassesThat(not(resideInAPackage("dev.longhaul.."))
                            .or(CORE)
                            .or(resideInAnyPackage(CLIENT, STUBS, ENGINE, PROCESS)))
                    .check(LONGHAUL);
        }

        @Test
        void observation_knows_only_core_and_the_engine() {
            classes()
                    .that()
                    .resideInAPackage(OBSERVE)
                    .should()
                    .onlyDependOnClassesThat(not(resideInAPackage("dev.longhaul.."))
                            .or(CORE)
                            .or(resideInAnyPackage(OBSERVE, ENGINE, PROCESS)))
                    .check(LONGHAUL);
        }

        @Test
        void nothing_else_depends_on_spring() {
            noClasses()
                    .that()
                    .resideOutsideOfPackage(SPRING)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.springframework..", SPRING)
                    .check(LONGHAUL);
            noClasses()
                    .that(resideInAPackage(SPRING).and(not(resideInAPackage("dev.longhaul.spring.test.."))))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.longhaul.testkit..", "dev.longhaul.spring.test..", "org.junit..")
                    .check(LONGHAUL);
        }

        private static void knowsOnlyCore(String module) {
            classes()
                    .that()
                    .resideInAPackage(module)
                    .should()
                    .onlyDependOnClassesThat(
                            not(resideInAPackage("dev.longhaul..")).or(CORE).or(resideInAPackage(module)))
                    .check(LONGHAUL);
        }

        @Test
        void only_launchers_and_benchmarks_depend_on_the_server() {
            noClasses()
                    .that()
                    .resideOutsideOfPackages(SERVER, DEMO, BENCHMARKS, CLI)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(SERVER, DEMO)
                    .check(LONGHAUL);
        }

        @Test
        void the_routes_of_the_api_know_no_web_framework_and_no_database() {
            classes()
                    .that()
                    .resideInAPackage(API)
                    .should()
                    .onlyDependOnClassesThat(CORE.or(resideInAnyPackage(API, LIBRARY, ENGINE))
                            .or(resideInAnyPackage(
                                    "java.io..",
                                    "java.lang..",
                                    "java.net..",
                                    "java.nio..",
                                    "java.security..",
                                    "java.time..",
                                    "java.util..",
                                    "com.fasterxml.jackson.core..",
                                    "org.jspecify..",
                                    "org.slf4j..")))
                    .check(LONGHAUL);
        }

        @Test
        void packages_of_the_api_and_of_the_server_form_no_cycle() {
            for (String module : List.of(API, SERVER)) {
                slices().matching("dev.longhaul.(**)")
                        .should()
                        .beFreeOfCycles()
                        .check(LONGHAUL.that(resideInAPackage(module)));
            }
        }

        @Test
        void nothing_depends_on_the_command_line_or_the_benchmarks() {
            noClasses()
                    .that()
                    .resideOutsideOfPackage(CLI)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(CLI)
                    .check(LONGHAUL);
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BENCHMARKS)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(BENCHMARKS)
                    .check(LONGHAUL);
        }
    }

    @Nested
    class Commands {
        /**
         * Exceptions: the leader's scheduler releases and cancels jobs of schedules on behalf of no caller; the writer of
         * an intake executes commands that were checked when they were accepted.
         */
        @Test
        void every_transport_changes_jobs_through_one_class() {
            noClasses()
                    .that(not(assignableTo(JobStore.class)).and(not(resideInAPackage(CONTRACT))))
                    .and()
                    .doNotHaveFullyQualifiedName(Jobs.class.getName())
                    .and()
                    .doNotHaveFullyQualifiedName(ScheduleFirer.class.getName())
                    .and()
                    .doNotHaveFullyQualifiedName(IntakeWriter.class.getName())
                    .should()
                    .callMethodWhere(target(owner(assignableTo(JobStore.class))).and(target(name("execute"))))
                    .check(LONGHAUL);
        }
    }

    @Nested
    class Size {
        private static final int MOST = 25;

        /** Except generated stubs. */
        @Test
        void no_package_has_more_than_25_classes() {
            Map<String, Long> classes = LONGHAUL.stream()
                    .filter(type ->
                            type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                    .filter(not(resideInAPackage(STUBS)))
                    .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
            assertThat(classes).isNotEmpty();
            assertThat(classes)
                    .allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(MOST));
        }
    }

    @Nested
    class Names {
        @Test
        void packages_are_features_not_layers() {
            noClasses()
                    .should()
                    .resideInAnyPackage(
                            "..util..",
                            "..utils..",
                            "..helper..",
                            "..helpers..",
                            "..impl..",
                            "..model..",
                            "..dto..",
                            "..exception..",
                            "..exceptions..")
                    .check(LONGHAUL);
        }

        @Test
        void classes_are_named_after_what_they_do() {
            noClasses()
                    .should()
                    .haveSimpleNameEndingWith("Manager")
                    .orShould()
                    .haveSimpleNameEndingWith("Helper")
                    .orShould()
                    .haveSimpleNameEndingWith("Util")
                    .orShould()
                    .haveSimpleNameEndingWith("Utils")
                    .orShould()
                    .haveSimpleNameEndingWith("Impl")
                    .orShould()
                    .haveSimpleNameEndingWith("Processor")
                    .orShould()
                    .haveNameMatching(".*\\bAbstract\\w*Base")
                    .check(LONGHAUL);
        }
    }

    /** An import that finds nothing passes every rule. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.longhaul.job..",
                EMBEDDED,
                POSTGRES,
                CONTRACT,
                ENGINE,
                MEMORY,
                KAFKA,
                KOTLIN,
                LIBRARY,
                API,
                SPRING,
                SERVER,
                DEMO,
                BENCHMARKS,
                CLI
            })
    void each_module_is_checked(String packages) {
        assertThat(LONGHAUL.that(resideInAPackage(packages))).isNotEmpty();
    }
}
