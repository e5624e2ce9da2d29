package dev.roost.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The library's API in one version. */
public record ApiBaseline(String version, SortedSet<String> lines) {

    private static final String HEAD = "# API of version ";

    public static ApiBaseline read(Path file) throws IOException {
        var all = Files.readAllLines(file);
        return new ApiBaseline(all.getFirst().substring(HEAD.length()), new TreeSet<>(all.subList(1, all.size())));
    }

    public void write(Path file) throws IOException {
        Files.writeString(file, HEAD + version + "\n" + String.join("\n", lines) + "\n");
    }

    public SortedSet<String> without(ApiBaseline other) {
        var more = new TreeSet<>(lines);
        more.removeAll(other.lines);
        return more;
    }

    /** Why {@code now} must not follow this version: an API member is missing and the version number does not allow that. */
    public Optional<String> against(ApiBaseline now) {
        var gone = without(now);
        if (gone.isEmpty() || now.breaks(this)) return Optional.empty();
        return Optional.of(
                "Programs that use %s would no longer work with %s as they did with %s. %s"
                        .formatted(
                                gone.first(),
                                now.version,
                                version,
                                "Restore it, or raise the version in pom.xml: the second number while the first is 0, else the first."));
    }

    /** Whether this version may remove members of the earlier one. */
    private boolean breaks(ApiBaseline earlier) {
        var now = version.split("\\.", -1);
        var then = earlier.version.split("\\.", -1);
        int first = Integer.compare(Integer.parseInt(now[0]), Integer.parseInt(then[0]));
        if (first != 0) return first > 0;
        return now[0].equals("0") && Integer.parseInt(now[1]) > Integer.parseInt(then[1]);
    }
}
