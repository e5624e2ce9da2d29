package dev.roost.reference;

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

/** A page that people read: its blocks, its links, and the places that can be linked to. */
record Doc(Path file, List<String> lines) {

    static final Path ROOT = Path.of(Objects.requireNonNull(System.getProperty("roost.root")))
            .toAbsolutePath()
            .normalize();

    private static final Pattern FENCE = Pattern.compile("^( *)```(.*)$");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$");
    private static final Pattern LINK = Pattern.compile("!?\\[(?:[^\\]\\[]|\\[[^\\]]*])*]\\(([^)\\s]+)\\)");

    /** What stands between two fences; {@code kind} is the language, {@code more} what follows it. */
    record Block(Doc doc, int line, String kind, String more, String text) {
        @Override
        public String toString() {
            return "%s:%d".formatted(doc.name(), line);
        }
    }

    record Link(Doc doc, int line, String target) {
        @Override
        public String toString() {
            return "%s:%d %s".formatted(doc.name(), line, target);
        }
    }

    static Doc read(Path file) {
        try {
            return new Doc(file, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** README, CONTRIBUTING, CHANGELOG, everything below docs/ and integrations/. */
    static List<Doc> all() {
        try (var docs = Files.walk(ROOT.resolve("docs"));
                var others = Files.walk(ROOT.resolve("integrations"))) {
            var top = Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve);
            return Stream.of(top, docs, others)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(Doc::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return ROOT.relativize(file).toString();
    }

    List<Block> blocks() {
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

    /** The lines outside of fences, with what is inside left blank. */
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

    List<Link> links() {
        var links = new ArrayList<Link>();
        var prose = prose();
        for (int i = 0; i < prose.size(); i++) {
            var link = LINK.matcher(prose.get(i).replaceAll("`[^`]*`", ""));
            while (link.find()) links.add(new Link(this, i + 1, link.group(1)));
        }
        return links;
    }

    /** As GitHub names them. */
    Set<String> anchors() {
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
