package dev.roost.docgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.roost.cli.CommandCatalog;
import dev.roost.daemon.config.ConfigFile;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.docgen.testing.DocumentationPage;
import dev.roost.docgen.testing.ShellCommands;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.tomlj.Toml;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

/** Checks the documentation: links have targets, commands exist, settings are valid. */
class DocumentationTest {

    private static final Set<String> ROOST = Set.of("roost", "./roost");

    /** Pages that are not finished. */
    @TempDir
    Path scratch;

    @Test
    void every_link_has_a_target() {
        var broken = new ArrayList<String>();
        for (var documentationPage : DocumentationPage.all())
            for (var link : documentationPage.links()) why(link).ifPresent(why -> broken.add(link + ": " + why));
        assertThat(broken).isEmpty();
    }

    private static Optional<String> why(DocumentationPage.Link link) {
        if (link.target().matches("(https?|mailto):.*")) return Optional.empty();
        var parts = URLDecoder.decode(link.target(), StandardCharsets.UTF_8).split("#", 2);
        var file = parts[0].isEmpty()
                ? link.documentationPage().file()
                : link.documentationPage().file().resolveSibling(parts[0]).normalize();
        if (!Files.exists(file)) return Optional.of("there is no such file");
        if (!file.startsWith(DocumentationPage.ROOT)) return Optional.of("it leads out of the repository");
        if (parts.length == 1 || !file.toString().endsWith(".md")) return Optional.empty();
        return DocumentationPage.read(file).anchors().contains(parts[1])
                ? Optional.empty()
                : Optional.of("there is no such heading");
    }

    @Test
    void every_command_in_an_example_exists_and_accepts_its_arguments() {
        var wrong = new ArrayList<String>();
        int seen = 0;
        for (var block : blocks("sh")) {
            for (var words : ShellCommands.of(block.text())) {
                if (!ROOST.contains(words.getFirst())) continue;
                seen++;
                parse(words).ifPresent(why -> wrong.add("%s: %s: %s".formatted(block, String.join(" ", words), why)));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(seen).isGreaterThan(100);
    }

    private static Optional<String> parse(List<String> words) {
        try {
            new CommandLine(CommandCatalog.model())
                    .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
            return Optional.empty();
        } catch (CommandLine.ParameterException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Test
    void a_command_that_does_not_exist_is_found() {
        assertThat(ShellCommands.of("for w in a b; do\n  ssh $w roost node join URL # there\ndone"))
                .contains(List.of("roost", "node", "join", "URL"));
        assertThat(ShellCommands.of("cd \"$(roost restore 'a b')\" && X=1 roost ps >/tmp/x 2>&1 | wc"))
                .contains(List.of("roost", "restore", "a b"), List.of("roost", "ps"));
        assertThat(parse(List.of("roost", "fly"))).isPresent();
        assertThat(parse(List.of("roost", "run", "--fast", "--", "true"))).isPresent();
        assertThat(parse(List.of("roost", "show"))).isPresent();
        assertThat(parse(List.of("roost", "run", "--wait", "--", "true"))).isEmpty();
    }

    /** A toml block is config.toml, unless a word after toml names another file. */
    @TestFactory
    Stream<DynamicTest> every_setting_in_an_example_is_read() {
        return blocks("toml").stream()
                .map(block -> DynamicTest.dynamicTest(
                        block.toString(),
                        () -> assertThatCode(() -> readSettings(block)).doesNotThrowAnyException()));
    }

    private void readSettings(DocumentationPage.Block block) throws IOException {
        var toml = Toml.parse(block.text());
        assertThat(toml.errors()).isEmpty();
        var place = Files.createTempDirectory(scratch, "settings");
        var config = Files.createDirectories(place.resolve("roost"));
        var environment = Map.of("XDG_CONFIG_HOME", place.toString(), "HOME", place.toString());
        switch (block.more()) {
            case "" -> Files.writeString(config.resolve("config.toml"), withSecret(block.text(), place));
            case "prices" -> Files.writeString(config.resolve("prices.toml"), block.text());
            case "project" -> {
                Files.writeString(place.resolve(".roost.toml"), block.text());
                new ProjectFiles(place, ConfigFile.load(environment), environment, new SystemClock()).review(place);
            }
            default -> {} // another program's file; only its syntax is checked
        }
        ConfigFile.load(environment);
        ConfigFile.surfaces(environment);
    }

    /** Creates the file with a webhook's secret, which the settings require. */
    private static String withSecret(String text, Path place) throws IOException {
        var secret = Files.writeString(place.resolve("secret"), "hush");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        return text.replaceAll("(webhook_secret_file = )\"[^\"]*\"", "$1\"" + secret + "\"");
    }

    @TestFactory
    Stream<DynamicTest> every_document_in_an_example_is_json() {
        return blocks("json").stream()
                .map(block -> DynamicTest.dynamicTest(
                        block.toString(),
                        () -> assertThatCode(() -> new JsonMapper()
                                        .readerFor(Object.class)
                                        .readValues(block.text())
                                        .readAll())
                                .doesNotThrowAnyException()));
    }

    private static List<DocumentationPage.Block> blocks(String kind) {
        return DocumentationPage.all().stream()
                .flatMap(documentationPage -> documentationPage.blocks().stream())
                .filter(block -> block.kind().equals(kind))
                .toList();
    }
}
