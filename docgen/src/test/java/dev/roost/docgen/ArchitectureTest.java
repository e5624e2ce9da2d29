package dev.roost.docgen;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.roost.chaos.ExactProcess;
import dev.roost.docgen.testing.DocumentationPage;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The code keeps the package map of docs/architecture.md and the naming rules of docs/glossary.md. */
class ArchitectureTest {

    private static final int MOST_FILES = 26;
    private static final List<String> MODULES =
            List.of("runtime", "cluster", "daemon", "chaos", "cli", "docgen", "bench");
    private static final JavaClasses CODE = new ClassFileImporter()
            .importPaths(MODULES.stream()
                    .map(module -> DocumentationPage.ROOT.resolve(module).resolve("target/classes"))
                    .toList());

    private static final Pattern ROW = Pattern.compile("\\| `([a-z.()]+)` \\|.*\\| ([^|]+) \\|");
    private static final Pattern NAME = Pattern.compile("`([a-z.()]+)`");
    private static final Pattern HUMP = Pattern.compile("[A-Z][a-z0-9]*");

    @Test
    void each_package_uses_exactly_the_packages_in_the_table() throws IOException {
        var table = new TreeMap<String, Set<String>>();
        for (var line : Files.readAllLines(DocumentationPage.ROOT.resolve("docs/architecture.md"))) {
            var row = ROW.matcher(line);
            if (!row.matches()) continue;
            var known = NAME.matcher(row.group(2)).results().map(name -> name.group(1));
            table.put(row.group(1), known.collect(toCollection(TreeSet::new)));
        }
        var code = new TreeMap<String, Set<String>>();
        for (var type : CODE) {
            var known = code.computeIfAbsent(inTable(type), _ -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(resideInAPackage("dev.roost.."))
                    .map(ArchitectureTest::inTable)
                    .filter(other -> !other.equals(inTable(type)))
                    .forEach(known::add);
        }
        assertThat(rows(table)).isEqualTo(rows(code));
    }

    private static String inTable(JavaClass type) {
        var name = type.getPackageName();
        return name.equals("dev.roost") ? "(root)" : name.substring("dev.roost.".length());
    }

    /** One line for each package, so that a difference shows the row to write. */
    private static String rows(Map<String, Set<String>> known) {
        return known.entrySet().stream()
                .map(row -> "%s -> %s".formatted(row.getKey(), String.join(", ", row.getValue())))
                .collect(joining("\n"));
    }

    @Test
    void no_two_packages_depend_on_each_other() {
        slices().assignedFrom(new EachPackage()).should().beFreeOfCycles().check(CODE);
    }

    private static final class EachPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return type.getPackageName().startsWith("dev.roost")
                    ? SliceIdentifier.of(inTable(type))
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "each package";
        }
    }

    @Test
    void no_package_has_more_files_than_a_reader_can_scan() throws IOException {
        var sizes = sources()
                .collect(groupingBy(
                        file -> DocumentationPage.ROOT.relativize(file.getParent()),
                        mapping(file -> file, toCollection(TreeSet::new))));
        assertThat(sizes)
                .hasSizeGreaterThan(60)
                .allSatisfy((directory, files) ->
                        assertThat(files).as("files of %s", directory).hasSizeLessThanOrEqualTo(MOST_FILES));
    }

    @Test
    void each_simple_name_has_one_type() throws IOException {
        var byName = sources()
                .map(DocumentationPage.ROOT::relativize)
                .collect(groupingBy(
                        file -> file.getFileName().toString(),
                        TreeMap::new,
                        mapping(Path::toString, toCollection(TreeSet::new))));
        assertThat(byName)
                .hasSizeGreaterThan(900)
                .allSatisfy((name, files) ->
                        assertThat(files).as("files of the name %s", name).hasSize(1));
    }

    @Test
    void every_type_is_named_by_a_noun() throws IOException {
        var names = new TreeSet<String>();
        CODE.stream()
                .filter(type -> !type.isAnonymousClass() && type.getSource().isPresent())
                .filter(type -> !isVariant(type))
                .map(JavaClass::getSimpleName)
                .forEach(names::add);
        sources()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .forEach(names::add);
        assertThat(names).hasSizeGreaterThan(1_000);
        assertThat(names.stream().filter(name -> !isNoun(name)))
                .as("names that are gerunds, participles, pronouns or adverbs")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Keeping, false", "TakingOver, false", "Landing, true", "HttpSetting, true", "Given, false", "LeftOut, false",
        "Ours, false", "Why, false", "BundleRejected, false", "PendingWrite, true", "OpenedRun, true", "Fence, true"
    })
    void gerunds_participles_and_pronouns_are_distinguished_from_nouns(String name, boolean noun) {
        assertThat(isNoun(name)).isEqualTo(noun);
    }

    private static final Set<String> ALLOWED = Set.of("Landing", "String");
    private static final Set<String> NO_NOUNS = Set.of(
            "Ours",
            "Yours",
            "Mine",
            "Theirs",
            "Why",
            "Where",
            "Who",
            "Whose",
            "What",
            "Which",
            "When",
            "How",
            "Many",
            "Then",
            "Some",
            "Other",
            "Others",
            "Made",
            "Found",
            "Given",
            "Heard",
            "Said",
            "Kept",
            "Held",
            "Seen",
            "Taken",
            "Begun",
            "Began",
            "Told",
            "Sent",
            "Lost",
            "Left",
            "Done",
            "Gone",
            "Known",
            "Chosen",
            "Written",
            "Spent",
            "Slept",
            "Went",
            "Over",
            "Out",
            "Up",
            "Off",
            "Away",
            "Meant",
            "Read",
            "Put",
            "Understood",
            "Bound");

    /** True for a nested type of a sealed interface: a state or event, which is named by what has happened. */
    private static boolean isVariant(JavaClass type) {
        return type.isNestedClass()
                && type.getRawInterfaces().stream()
                        .anyMatch(of -> of.getPackageName().startsWith("dev.roost"));
    }

    /** Judges the last word of the name, which is the noun. */
    private static boolean isNoun(String name) {
        var humps = HUMP.matcher(name).results().map(hump -> hump.group()).toList();
        if (humps.isEmpty()) return true;
        var last = humps.getLast();
        if (ALLOWED.contains(name) || last.equals("Setting")) return true;
        return !NO_NOUNS.contains(last) && !last.endsWith("ing") && !(last.endsWith("ed") && last.length() > 4);
    }

    private static Stream<Path> sources() throws IOException {
        try (var files = Files.walk(DocumentationPage.ROOT)) {
            return files
                    .filter(file -> file.toString().endsWith(".java"))
                    .filter(file ->
                            DocumentationPage.ROOT.relativize(file).toString().contains("src/"))
                    .filter(file ->
                            !DocumentationPage.ROOT.relativize(file).toString().contains("target/"))
                    .filter(file -> !file.endsWith("package-info.java") && !file.endsWith("module-info.java"))
                    .toList()
                    .stream();
        }
    }

    private static void holds(ArchRule rule) {
        rule.check(CODE);
    }

    @Test
    void the_model_is_pure() {
        holds(classes()
                .that()
                .resideInAPackage("dev.roost.model")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.roost.model",
                        "dev.roost.base",
                        "java.lang..",
                        "java.util..",
                        "java.time..",
                        "java.security",
                        "org.jspecify.."));
    }

    /** Its classes run in other programs' processes. */
    @Test
    void the_api_for_agents_in_java_uses_nothing_else_of_roost() {
        holds(classes()
                .that()
                .resideInAPackage("dev.roost.agent")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.roost.agent", "java..", "tools.jackson..", "org.jspecify.."));
    }

    @Test
    void the_command_line_is_only_a_client_of_the_socket() {
        holds(classes()
                .that()
                .resideInAnyPackage("dev.roost.cli..", "dev.roost.chaos..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.roost.cli..",
                        "dev.roost.chaos..",
                        "java..",
                        "com.github.difflib..",
                        "picocli..",
                        "tools.jackson..",
                        "org.jspecify.."));
    }

    /** Chaos may read /proc, because it supports only Linux. */
    @Test
    void only_chaos_reads_proc_directly() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage("dev.roost.chaos..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ExactProcess.class));
    }

    @Test
    void surfaces_use_neither_processes_nor_tables() {
        holds(noClasses()
                .that()
                .resideInAnyPackage("dev.roost.daemon.socket", "dev.roost.daemon.api")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.roost.process", "dev.roost.os", "dev.roost.ledger.db", "java.sql.."));
    }

    @Test
    void operations_use_no_transport() {
        holds(noClasses()
                .that()
                .resideInAPackage("dev.roost.daemon.api")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.roost.daemon.socket", "dev.roost.daemon.http", "dev.roost.daemon.mcp", "com.sun.."));
    }

    /** The package rescue reads the databases of other tools; bench measures raw databases beside the ledger. */
    @Test
    void only_the_ledger_uses_sql() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.roost.ledger..", "dev.roost.rescue", "dev.roost.cluster..", "dev.roost.bench..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.sql..", "org.sqlite..").or(assignableTo(SqlConnection.class))));
    }

    @Test
    void only_the_clock_reads_the_system_time() {
        holds(noClasses()
                .that()
                .resideInAnyPackage("dev.roost", "dev.roost.base..", "dev.roost.(*)..")
                .and()
                .resideOutsideOfPackages("dev.roost.cli..", "dev.roost.chaos..", "dev.roost.bench..")
                .and()
                .doNotBelongToAnyOf(SystemClock.class)
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis"));
    }

    @Test
    void main_code_never_sleeps() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage("dev.roost.bench..")
                .should()
                .callMethod(Thread.class, "sleep", long.class));
    }

    @Test
    void no_type_is_named_utils() {
        for (var suffix : List.of("Util", "Utils", "Helper", "Manager")) {
            holds(noClasses().should().haveSimpleNameEndingWith(suffix));
        }
    }
}
