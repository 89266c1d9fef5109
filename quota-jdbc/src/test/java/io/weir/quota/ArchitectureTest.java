package io.weir.quota;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;

@AnalyzeClasses(packages = "io.weir.quota", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule dependsOnTheCoreAndOnJdbc = classes()
            .that()
            .doNotHaveFullyQualifiedName(MicrometerQuotaMeters.class.getName())
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir",
                    "io.weir.algorithm",
                    "io.weir.store",
                    "io.weir.quota",
                    "java..",
                    "javax.sql..",
                    "org.jspecify.annotations")
            .because("an application brings its own driver, pool and meters, and may have no Spring and no Hazelcast");

    @ArchTest
    static final ArchRule decidesWithoutADatabaseAndWithoutAClock = noClasses()
            .that()
            .belongToAnyOf(
                    Decider.class,
                    Account.class,
                    Period.class,
                    Window.class,
                    Step.class,
                    Part.class,
                    Held.class,
                    Quota.class,
                    Charge.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(InstantSource.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because("time and rows are arguments of a decision");

    @ArchTest
    static final ArchRule readsNoWallClockOfItsOwn = noClasses()
            .that()
            .doNotBelongToAnyOf(ProbableTime.class)
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(InstantSource.class, "system")
            .because("the time of decisions is the database's, or of a clock that was given");
}
