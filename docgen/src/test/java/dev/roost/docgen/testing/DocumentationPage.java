package dev.roost.docgen.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation with its blocks, links and anchors. */
public record DocumentationPage(Path file, List<String> lines) {

    public static final Path ROOT = Path.of(Objects.requireNonNull(System.getProperty("roost.root")))
            .toAbsolutePath()
            .normalize();

    private static final Pattern FENCE = Pattern.compile("^( *)```(.*)$");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$");
    private static final Pattern LINK = Pattern.compile("!?\\[(?:[^\\]\\[]|\\[[^\\]]*])*]\\(([^)\\s]+)\\)");

    /** A fenced block; {@code kind} is the language, {@code more} what follows it. */
    public record Block(DocumentationPage documentationPage, int line, String kind, String more, String text) {
        @Override
        public String toString() {
            return "%s:%d".formatted(documentationPage.name(), line);
        }
    }

    public record Link(DocumentationPage documentationPage, int line, String target) {
        @Override
        public String toString() {
            return "%s:%d %s".formatted(documentationPage.name(), line, target);
        }
    }

    public static DocumentationPage read(Path file) {
        try {
            return new DocumentationPage(file, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** README, CONTRIBUTING, CHANGELOG, and all pages below docs/ and integrations/. */
    public static List<DocumentationPage> all() {
        try (var docs = Files.walk(ROOT.resolve("docs"));
                var others = Files.walk(ROOT.resolve("integrations"))) {
            var top = Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve);
            return Stream.of(top, docs, others)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(DocumentationPage::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return ROOT.relativize(file).toString();
    }

    public List<Block> blocks() {
        var blocks = new ArrayList<Block>();
        for (int i = 0; i < lines.size(); i++) {
            var fence = FENCE.matcher(lines.get(i));
            if (!fence.matches()) continue;
            int begin = i++;
            var text = new StringBuilder();
            for (; i < lines.size() && !lines.get(i).strip().equals("```"); i++)
                text.append(
                                lines.get(i).startsWith(fence.group(1))
                                        ? lines.get(i).substring(fence.group(1).length())
                                        : lines.get(i))
                        .append('\n');
            var words = fence.group(2).strip().split(" +", 2);
            blocks.add(new Block(this, begin + 1, words[0], words.length > 1 ? words[1] : "", text.toString()));
        }
        return blocks;
    }

    /** The lines with the content of fences left blank. */
    private List<String> prose() {
        var prose = new ArrayList<String>();
        boolean inside = false;
        for (var line : lines) {
            boolean fence = FENCE.matcher(line).matches();
            prose.add(inside || fence ? "" : line);
            if (fence) inside = !inside;
        }
        return prose;
    }

    public List<Link> links() {
        var links = new ArrayList<Link>();
        var prose = prose();
        for (int i = 0; i < prose.size(); i++) {
            var link = LINK.matcher(prose.get(i).replaceAll("`[^`]*`", ""));
            while (link.find()) links.add(new Link(this, i + 1, link.group(1)));
        }
        return links;
    }

    /** Anchors, as GitHub names them. */
    public Set<String> anchors() {
        var anchors = new TreeSet<String>();
        var seen = new HashMap<String, Integer>();
        for (var line : prose()) {
            var heading = HEADING.matcher(line);
            if (!heading.matches()) continue;
            var slug = heading.group(1)
                    .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}\\-_ ]", "")
                    .strip()
                    .replace(' ', '-');
            int again = seen.merge(slug, 1, Integer::sum) - 1;
            anchors.add(again == 0 ? slug : slug + "-" + again);
        }
        return anchors;
    }
}
