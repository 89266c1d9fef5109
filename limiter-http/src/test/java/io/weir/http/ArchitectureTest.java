package io.weir.http;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;

@AnalyzeClasses(packages = "io.weir.http", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule dependsOnTheCoreAndOnReadersAndWritersOfFormats = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir",
                    "io.weir.algorithm",
                    "io.weir.guard",
                    "io.weir.store",
                    "io.weir.http",
                    "java..",
                    "com.fasterxml.jackson.core..",
                    "inet.ipaddr..",
                    "jakarta.servlet..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule needsNoServletsWithoutTheFilter = noClasses()
            .that()
            .haveSimpleNameNotEndingWith("Filter")
            .and()
            .haveSimpleNameNotStartingWith("Servlet")
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
    static final ArchRule takesTheSystemsClockInOnePlaceOnly = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(HttpLimits.Builder.class.getName())
            .should()
            .callMethod(InstantSource.class, "system")
            .because("the builder's can be replaced");
}
