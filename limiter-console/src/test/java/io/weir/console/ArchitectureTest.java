package io.weir.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.weir.store.NanoClock;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;

@AnalyzeClasses(packages = "io.weir.console", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule dependsOnTheCoreAndOnAWriterOfJson = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir",
                    "io.weir.algorithm",
                    "io.weir.store",
                    "io.weir.console",
                    "java..",
                    "com.fasterxml.jackson.core..",
                    "jakarta.servlet..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule needsNoServletsWithoutTheServlet = noClasses()
            .that()
            .doNotHaveSimpleName("ConsoleServlet")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jakarta..")
            .because("other servers have no servlets");

    @ArchTest
    static final ArchRule readsNoClock = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule takesTheSystemsClocksInOnePlaceOnly = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(Console.Builder.class.getName())
            .should()
            .callMethod(InstantSource.class, "system")
            .orShould()
            .callMethod(NanoClock.class, "monotonic")
            .because("the builder's can be replaced");
}
