package dev.roost.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.roost.cli.chaos.Proc;

/** The CLI is a client of the socket, nothing else. */
@AnalyzeClasses(packages = "dev.roost.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule it_knows_no_other_room = classes()
            .that()
            .resideInAPackage("dev.roost.cli..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.roost.cli..", "java..", "picocli..", "tools.jackson..", "org.jspecify..");

    /** It reads /proc, and chaos alone says that it is for Linux. */
    @ArchTest
    static final ArchRule processes_of_linux_are_known_to_chaos_alone = noClasses()
            .that()
            .resideOutsideOfPackage("dev.roost.cli.chaos")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Proc.class);

    @ArchTest
    static final ArchRule nobody_sleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule no_two_rooms_need_each_other =
            slices().matching("dev.roost.(**)").should().beFreeOfCycles();
}
