package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Lists the entries of a directory; none if it does not exist. */
final class DirectoryEntries {

    private DirectoryEntries() {}

    static List<Path> list(Path folder, String names) throws IOException {
        if (!Files.isDirectory(folder)) return List.of();
        var found = new ArrayList<Path>();
        try (var files = Files.newDirectoryStream(folder, names)) {
            files.forEach(found::add);
        }
        found.sort(null);
        return found;
    }
}
