package dev.longhaul;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What core must not know. The rules over all modules are in the command line's {@code ArchitectureTest}. */
class CoreDependenciesTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.longhaul");

    @Test
    void core_needs_nothing_but_the_jdk() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.longhaul..", "java..", "org.jspecify..")
                .check(CORE);
    }

    @Test
    void core_knows_no_database_no_network_and_no_process() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "java.net..")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Process.class, ProcessBuilder.class, ProcessHandle.class)
                .check(CORE);
    }
}
