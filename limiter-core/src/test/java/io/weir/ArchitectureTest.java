package io.weir;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.weir.algorithm.Algorithm;
import io.weir.store.NanoClock;

/** The rules of the module, one sentence each. */
@AnalyzeClasses(packages = "io.weir", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule ARROWS_POINT_DOWN = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("guards")
            .definedBy("io.weir.guard")
            .layer("front door")
            .definedBy("io.weir")
            .layer("store")
            .definedBy("io.weir.store")
            .layer("algorithm")
            .definedBy("io.weir.algorithm")
            .whereLayer("guards")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("front door")
            .mayOnlyBeAccessedByLayers("guards")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("front door")
            .because("the front door knows stores, stores know the algorithm, and neither is known from below");

    @ArchTest
    static final ArchRule ALGORITHM_IS_PURE = classes()
            .that()
            .resideInAPackage("io.weir.algorithm")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir.algorithm",
                    "java.lang",
                    "java.math",
                    "java.time",
                    "java.util",
                    "java.util.function",
                    "java.util.regex",
                    "java.util.stream",
                    "java.lang.invoke",
                    "org.jspecify..")
            .because("a transition is decided by its arguments alone");

    @ArchTest
    static final ArchRule ONLY_A_RULE_DECIDES = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAssignableTo(Algorithm.class)
            .and()
            .haveNameMatching("full|take|giveBack|charge|advance|lower|restamped|carryOver|part")
            .should()
            .bePackagePrivate()
            .because("a rule settles which version of a limit is in force before its algorithm decides");

    @ArchTest
    static final ArchRule ALGORITHM_HAS_NO_CLOCK_AND_NO_THREAD = noClasses()
            .that()
            .resideInAPackage("io.weir.algorithm")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("java\\.lang\\.(Thread|Process|Runtime|System\\$Logger).*")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("java\\.time\\.(.*Clock|Instant|.*Date.*|.*Time)")
            .because("time is an argument, and whoever keeps a state decides where a transition runs");

    @ArchTest
    static final ArchRule ONLY_THE_CLOCK_READS_SYSTEM_TIME = noClasses()
            .that()
            .doNotBelongToAnyOf(NanoClock.class)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("java\\.time\\.(.*Clock|Instant|.*Date.*|.*Time)|java\\.util\\.(Date|Calendar)")
            .because("a test must be able to say what time it is");

    @ArchTest
    static final ArchRule ONLY_ITS_METERS_KNOW_MICROMETER = noClasses()
            .that()
            .doNotBelongToAnyOf(MicrometerMeters.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..")
            .because("everything works without it on the class path");

    @ArchTest
    static final ArchRule ONLY_ITS_SKETCH_KNOWS_DATASKETCHES = noClasses()
            .that()
            .doNotBelongToAnyOf(KeySketch.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.datasketches..")
            .because("everything but watching keys works without it on the class path");

    @ArchTest
    static final ArchRule NAMES_SAY_WHAT_DIFFERS = noClasses()
            .should()
            .haveNameMatching(".*(Impl|Util|Utils|Manager|Helper)")
            .because("a class has one reason to exist, and its name says which");
}
