package dev.roost.docgen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.docgen.testing.DocumentationPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks docs/architecture.md against the sources. */
class ArchitectureMapTest {

    private static final int LONG = 300;
    private static final Pattern IN_CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern NAME = Pattern.compile("(?<![.\\w])(?:[a-z]+\\.)*([A-Z][a-z]\\w*)");
    private static final Pattern REASON = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.+) \\|$");
    private static final Pattern LONG_FILES = Pattern.compile("(?s)## Long files\n(.*)");

    @Test
    void every_named_class_exists() throws IOException {
        var classes = sources().keySet();
        var named = new TreeSet<String>();
        IN_CODE.matcher(map())
                .results()
                .forEach(code -> NAME.matcher(code.group(1)).results().forEach(name -> named.add(name.group(1))));
        assertThat(named).hasSizeGreaterThan(20);
        named.removeAll(classes);
        assertThat(named).as("classes that do not exist").isEmpty();
    }

    @Test
    void only_long_files_have_a_reason() throws IOException {
        Set<String> reasons = LONG_FILES
                .matcher(map())
                .results()
                .flatMap(part -> REASON.matcher(part.group(1)).results())
                .map(row -> row.group(1))
                .collect(Collectors.toSet());
        Set<String> isLong = sources().entrySet().stream()
                .filter(file -> file.getValue() > LONG)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        assertThat(isLong).as("files of more than %d lines", LONG).isEqualTo(reasons);
    }

    private static String map() throws IOException {
        return Files.readString(DocumentationPage.ROOT.resolve("docs/architecture.md"));
    }

    /** The lines of each source file without imports, by class name; of two classes with one name, the longer. */
    private static Map<String, Long> sources() throws IOException {
        var sources = new HashMap<String, Long>();
        try (var files = Files.walk(DocumentationPage.ROOT)) {
            for (var file : (Iterable<Path>) files::iterator) {
                var name = file.getFileName().toString();
                if (!name.endsWith(".java")
                        || DocumentationPage.ROOT.relativize(file).toString().contains("target/")) continue;
                sources.merge(
                        name.substring(0, name.length() - ".java".length()),
                        Files.readAllLines(file).stream()
                                .filter(line -> !line.startsWith("import "))
                                .count(),
                        Math::max);
            }
        }
        return sources;
    }
}
