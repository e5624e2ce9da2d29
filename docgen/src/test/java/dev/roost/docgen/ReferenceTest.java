package dev.roost.docgen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.CommandCatalog;
import dev.roost.daemon.config.SettingCatalog;
import dev.roost.daemon.config.SettingDefinition;
import dev.roost.docgen.testing.DocumentationPage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The generated documentation matches the code. */
class ReferenceTest {

    /** Variables that only Roost's own processes set. */
    private static final Set<String> INTERNAL =
            Set.of("ROOST_DAEMON", "ROOST_BOOT", "ROOST_GUARD", "ROOST_PATH", "ROOST_UMASK", "ROOST_CALLER_LC_ALL");

    private static final Pattern VARIABLE = Pattern.compile("\"(ROOST_[A-Z_]+[A-Z])\"");

    @Test
    void the_committed_pages_match_the_code() throws IOException {
        var directory = DocumentationPage.ROOT.resolve("docs/reference");
        var pages = Reference.pages(DocumentationPage.ROOT);
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> directory.relativize(file).toString()))
                    .containsExactlyInAnyOrderElementsOf(pages.keySet());
        }
        for (var page : pages.entrySet())
            assertThat(directory.resolve(page.getKey()))
                    .as("docs/reference/%s is outdated; rewrite it with ./build reference", page.getKey())
                    .hasContent(page.getValue());
    }

    @Test
    void every_command_is_listed_with_every_option() {
        var page = Reference.pages(DocumentationPage.ROOT).get("commands.md");
        for (var one : CommandDoc.all(CommandCatalog.model())) {
            assertThat(page).contains("## " + one.full() + "\n");
            one.spec().options().stream()
                    .filter(flag -> !flag.hidden())
                    .forEach(flag -> assertThat(page).as(one.full()).contains(flag.longestName()));
        }
    }

    @Test
    void every_variable_that_the_sources_read_is_documented() throws IOException {
        var read = new TreeSet<String>();
        for (var module : List.of("runtime", "cluster", "daemon", "cli"))
            try (var files = Files.walk(DocumentationPage.ROOT.resolve(module).resolve("src/main/java"))) {
                for (var file : files.filter(Files::isRegularFile).toList())
                    VARIABLE.matcher(Files.readString(file)).results().forEach(found -> read.add(found.group(1)));
            }
        var documented = new TreeSet<>(INTERNAL);
        Stream.of(EnvironmentVariable.values()).map(Enum::name).forEach(documented::add);
        SettingCatalog.config().stream()
                .map(SettingDefinition::overruledBy)
                .flatMap(Optional::stream)
                .forEach(documented::add);

        assertThat(read).contains("ROOST_HOME").isSubsetOf(documented);
    }

    @Test
    void every_error_of_an_answer_is_in_the_troubleshooting() throws IOException {
        var page = Files.readString(DocumentationPage.ROOT.resolve("docs/troubleshooting.md"));
        var codes = ErrorsPage.hints().keySet();
        assertThat(codes)
                .hasSizeGreaterThan(150)
                .contains("no_such_run", "bad_config", "not_ready_disk", "over_capacity");
        assertThat(codes).allSatisfy(code -> assertThat(page).contains("`" + code + "`"));
    }

    @Test
    void every_test_named_as_a_proof_exists() throws IOException {
        var tests = new TreeSet<String>();
        try (var files = Files.walk(DocumentationPage.ROOT)) {
            files.map(file -> Pattern.compile(".*/(\\w+Test)\\.java").matcher(file.toString()))
                    .filter(Matcher::matches)
                    .forEach(name -> tests.add(name.group(1)));
        }
        for (var documentationPage : DocumentationPage.all())
            Pattern.compile("`([A-Z][A-Za-z]+Test)`")
                    .matcher(String.join("\n", documentationPage.lines()))
                    .results()
                    .forEach(found ->
                            assertThat(tests).as(documentationPage.name()).contains(found.group(1)));
    }
}
