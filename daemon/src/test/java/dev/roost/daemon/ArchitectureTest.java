package dev.roost.daemon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

/** Surfaces know Roost and its words, never each other and never the disk behind it. */
@AnalyzeClasses(packages = "dev.roost.daemon", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule surfaces_do_not_reach_around_the_facade = noClasses()
            .that()
            .resideInAnyPackage("dev.roost.daemon.socket..", "dev.roost.daemon.calls..", "dev.roost.daemon.wire..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.roost.supervisor..", "java.sql..");

    @ArchTest
    static final ArchRule what_can_be_asked_does_not_depend_on_how_it_is_asked = noClasses()
            .that()
            .resideInAPackage("dev.roost.daemon.calls..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.roost.daemon.socket..", "dev.roost.daemon.http..", "dev.roost.daemon.mcp..", "com.sun..");

    @ArchTest
    static final ArchRule nobody_sleeps_or_asks_the_wall_clock = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule no_two_rooms_need_each_other =
            slices().matching("dev.roost.(**)").should().beFreeOfCycles();
}
