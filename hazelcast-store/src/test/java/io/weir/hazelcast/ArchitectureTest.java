package io.weir.hazelcast;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.hazelcast.map.EntryProcessor;
import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rules of the module, one sentence each. */
@AnalyzeClasses(packages = "io.weir.hazelcast", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule KNOWS_THE_STORE_AND_THE_ALGORITHM_ONLY = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.weir.hazelcast",
                    "io.weir.store",
                    "io.weir.algorithm",
                    "com.hazelcast..",
                    "dev.failsafe..",
                    "java..",
                    "org.jspecify..")
            .because("a store keeps buckets, and knows nothing of the front door");

    @ArchTest
    static final ArchRule TIME_COMES_FROM_A_CLOCK_THAT_CAN_BE_INJECTED = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because("decisions go by the owner's clock, and a test must be able to say what it shows");

    @ArchTest
    static final ArchRule ONLY_THE_WAY_TO_THE_OWNER_KNOWS_HAZELCASTS_INSIDE = noClasses()
            .that()
            .doNotBelongToAnyOf(
                    OwnerCalls.class,
                    MemberCalls.class,
                    ClientCalls.class,
                    LowerBalance.class,
                    WireHook.class,
                    SettingsCheck.class,
                    HazelcastStore.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "com.hazelcast.client.impl..",
                    "com.hazelcast.internal..",
                    "com.hazelcast.instance.impl..",
                    "com.hazelcast.map.impl..",
                    "com.hazelcast.spi.impl..")
            .because("what differs from version to version is kept in a few small classes");

    @ArchTest
    static final ArchRule PROCESSORS_NEITHER_LOG_NOR_WAIT = noClasses()
            .that(Predicates.assignableTo(EntryProcessor.class))
            .should()
            .dependOnClassesThat()
            .haveNameMatching("java\\.util\\.concurrent\\.(locks\\..*|.*Future|Executor.*|CountDown.*)")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("java\\.lang\\.(Thread|System\\$Logger.*)")
            .because("they run on partition threads, on which every key of the partition waits");

    @ArchTest
    static final ArchRule DATA_TRAVELS_AND_NOT_CODE = classes()
            .that()
            .implement(EntryProcessor.class)
            .should()
            .beAssignableTo(Wire.class)
            .andShould()
            .notBeAnonymousClasses()
            .because("what is sent to another member has an id and a layout that is written down");

    @ArchTest
    static final ArchRule NAMES_SAY_WHAT_DIFFERS = noClasses()
            .should()
            .haveNameMatching(".*(Impl|Util|Utils|Manager|Helper)")
            .because("a class has one reason to exist, and its name says which");
}
