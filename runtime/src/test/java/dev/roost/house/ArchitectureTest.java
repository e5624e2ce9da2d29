package dev.roost.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.roost.ledger.Sql;
import dev.roost.run.Clock;
import dev.roost.supervisor.OpenFiles;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Who may know whom. */
@AnalyzeClasses(packages = "dev.roost", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String RUN = "dev.roost.run..";
    private static final String LEDGER = "dev.roost.ledger..";
    private static final String SUPERVISOR = "dev.roost.supervisor..";
    private static final String AGENTS = "dev.roost.agents..";
    private static final String SESSIONS = "dev.roost.sessions..";
    private static final String WORKTREES = "dev.roost.worktrees..";
    private static final String SHELF = "dev.roost.shelf..";
    private static final String RESCUE = "dev.roost.rescue..";

    private static final Pattern ROW = Pattern.compile("\\| `([a-z.]+)` \\|.*\\| ([^|]+) \\|");
    private static final Pattern ROOM = Pattern.compile("`([a-z]+)`");

    /** Neither fewer nor more, so that the table can be believed. The house composes all of them. */
    @ArchTest
    static void each_room_knows_whom_the_map_says(JavaClasses all) throws IOException {
        var map = new TreeMap<String, Set<String>>();
        for (var line : Files.readAllLines(Path.of("..", "docs", "architecture.md"))) {
            var row = ROW.matcher(line);
            if (!row.matches() || row.group(1).equals("house")) continue;
            map.put(
                    row.group(1),
                    ROOM.matcher(row.group(2))
                            .results()
                            .map(room -> room.group(1))
                            .collect(toCollection(TreeSet::new)));
        }
        var code = new TreeMap<String, Set<String>>();
        for (var one : all) {
            var known = code.computeIfAbsent(room(one), _ -> new TreeSet<>());
            one.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(other -> other.getPackageName().startsWith("dev.roost"))
                    .map(ArchitectureTest::room)
                    .filter(other -> !other.equals(room(one)))
                    .forEach(known::add);
        }
        code.remove("house");
        assertThat(map).isEqualTo(code);
    }

    private static String room(JavaClass one) {
        return one.getPackageName().replace("dev.roost.", "");
    }

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
    static final ArchRule worktrees_know_run_and_nothing_else = classes()
            .that()
            .resideInAPackage(WORKTREES)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(WORKTREES, RUN, "java..", "org.jspecify..");

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
