package dev.longhaul;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.net.URLEncoder;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The dependencies that core must not have. The rules over all modules are in the command line's
 * {@code ArchitectureTest}.
 */
class CoreDependenciesTest {
    private static final String[] JSON = {"com.fasterxml..", "com.networknt..", "com.github.victools.."};

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.longhaul");

    @Test
    void core_has_few_dependencies_besides_the_jdk() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.longhaul..",
                        "java..",
                        "javax.sql",
                        "org.jspecify..",
                        "org.slf4j..",
                        JSON[0],
                        JSON[1],
                        JSON[2])
                .check(CORE);
    }

    @Test
    void only_the_json_package_depends_on_json_libraries() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.longhaul.json")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(JSON)
                .check(CORE);
    }

    @Test
    void its_packages_form_no_cycle() {
        slices().matching("dev.longhaul.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void core_depends_on_no_database_no_network_and_no_process() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.sql..")
                .orShould()
                // URLEncoder only turns text into text.
                .dependOnClassesThat(resideInAPackage("java.net..").and(not(equivalentTo(URLEncoder.class))))
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Process.class, ProcessBuilder.class, ProcessHandle.class)
                .check(CORE);
    }

    /** Running code may use the database of its job; core only passes it through. */
    @Test
    void a_data_source_is_seen_in_the_context_of_a_job_only() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(JobContext.class.getName())
                .should()
                .dependOnClassesThat(resideInAPackage("javax.sql.."))
                .check(CORE);
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("javax.sql..").and(not(equivalentTo(DataSource.class))))
                .check(CORE);
    }
}
