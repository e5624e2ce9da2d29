package dev.roost.docgen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** {@code ROOT markdown|man DIR}: writes the pages to DIR; ROOT is the checkout whose sources are read. */
public final class DocgenMain {

    private DocgenMain() {}

    public static void main(String[] words) throws IOException {
        if (words.length != 3) throw new IllegalArgumentException("usage: ROOT markdown|man DIR");
        var root = Path.of(words[0]);
        write(
                switch (words[1]) {
                    case "markdown" -> Reference.pages(root);
                    case "man" -> Manuals.pages();
                    default -> throw new IllegalArgumentException("markdown or man, not " + words[1]);
                },
                Path.of(words[2]));
    }

    private static void write(Map<String, String> pages, Path directory) throws IOException {
        Files.createDirectories(directory);
        for (var page : pages.entrySet()) Files.writeString(directory.resolve(page.getKey()), page.getValue());
        System.out.println("%d pages in %s".formatted(pages.size(), directory));
    }
}
