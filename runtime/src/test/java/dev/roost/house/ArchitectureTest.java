package dev.roost.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.roost.ledger.Sql;
import dev.roost.run.Clock;
import dev.roost.supervisor.OpenFiles;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
import java.time.Instant;

/** Who may know whom. */
@AnalyzeClasses(packages = "dev.roost", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String RUN = "dev.roost.run..";
    private static final String LEDGER = "dev.roost.ledger..";
    private static final String SUPERVISOR = "dev.roost.supervisor..";
    private static final String AGENTS = "dev.roost.agents..";
    private static final String SESSIONS = "dev.roost.sessions..";
    private static final String PAUSES = "dev.roost.pauses..";
    private static final String WORKTREES = "dev.roost.worktrees..";
    private static final String SHELF = "dev.roost.shelf..";
    private static final String RESCUE = "dev.roost.rescue..";
    private static final String LUGGAGE = "dev.roost.luggage..";

    @ArchTest
    static final ArchRule run_is_pure = classes()
            .that()
            .resideInAPackage(RUN)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(RUN, "java.lang..", "java.util..", "java.time..", "java.security", "org.jspecify..");

    /** It is in other people's processes. */
    @ArchTest
    static final ArchRule what_an_agent_in_java_is_given_knows_nothing_of_the_house = classes()
            .that()
            .resideInAPackage("dev.roost.agent")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.roost.agent", "java..", "tools.jackson..", "org.jspecify..");

    @ArchTest
    static final ArchRule nobody_inside_knows_the_api = noClasses()
            .that()
            .resideInAPackage("dev.roost.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.roost");

    @ArchTest
    static final ArchRule rooms_know_run_and_not_each_other = noClasses()
            .that()
            .resideInAnyPackage(LEDGER, SUPERVISOR, AGENTS, WORKTREES)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.roost.house")
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage(SESSIONS);

    @ArchTest
    static final ArchRule the_ledger_stands_alone = noClasses()
            .that()
            .resideInAPackage(LEDGER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SUPERVISOR, AGENTS);

    @ArchTest
    static final ArchRule the_supervisor_stands_alone = noClasses()
            .that()
            .resideInAPackage(SUPERVISOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LEDGER, AGENTS);

    @ArchTest
    static final ArchRule agents_stand_alone = noClasses()
            .that()
            .resideInAPackage(AGENTS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LEDGER, SUPERVISOR);

    @ArchTest
    static final ArchRule worktrees_know_run_and_nothing_else = classes()
            .that()
            .resideInAPackage(WORKTREES)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(WORKTREES, RUN, "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule nobody_below_knows_worktrees = noClasses()
            .that()
            .resideInAnyPackage(RUN, LEDGER, SUPERVISOR, AGENTS, SESSIONS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(WORKTREES);

    @ArchTest
    static final ArchRule sessions_and_pauses_know_run_and_ledger = noClasses()
            .that()
            .resideInAnyPackage(SESSIONS, PAUSES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SUPERVISOR, AGENTS);

    @ArchTest
    static final ArchRule rescue_knows_run_and_who_is_alive = noClasses()
            .that()
            .resideInAPackage(RESCUE)
            .should()
            .dependOnClassesThat(resideInAnyPackage("dev.roost.house", LEDGER, SUPERVISOR, AGENTS, SESSIONS)
                    .and(not(belongToAnyOf(OpenFiles.class, Processes.class))));

    @ArchTest
    static final ArchRule the_shelf_knows_run_and_files = classes()
            .that()
            .resideInAPackage(SHELF)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(SHELF, RUN, SUPERVISOR, "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule luggage_is_files_and_git = noClasses()
            .that()
            .resideInAPackage(LUGGAGE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.roost.house", LEDGER, SUPERVISOR, SESSIONS, PAUSES);

    @ArchTest
    static final ArchRule nobody_below_knows_luggage = noClasses()
            .that()
            .resideInAnyPackage(RUN, LEDGER, SUPERVISOR, AGENTS, SESSIONS, PAUSES, WORKTREES, RESCUE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(LUGGAGE);

    @ArchTest
    static final ArchRule only_the_ledger_speaks_sql = noClasses()
            .that()
            .resideOutsideOfPackages(LEDGER, RESCUE) // which reads somebody else's database
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.sql..", "org.sqlite..").or(assignableTo(Sql.class)));

    @ArchTest
    static final ArchRule only_the_clock_knows_the_time = noClasses()
            .that()
            .doNotBelongToAnyOf(SystemClock.class)
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because(Clock.class + " is asked instead");

    @ArchTest
    static final ArchRule nobody_sleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule no_drawers = noClasses()
            .should()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameEndingWith("Manager");

    @ArchTest
    static final ArchRule no_two_rooms_need_each_other =
            slices().matching("dev.roost.(**)").should().beFreeOfCycles();
}
