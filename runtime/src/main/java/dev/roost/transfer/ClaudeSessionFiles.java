package dev.roost.transfer;

import dev.roost.rescue.ToolDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Claude Code: {@code projects/<its directory>/<session>.jsonl}, and a folder beside it with what its sub-agents said and
 * what was too long for a line. It reads the file as it is and tells the model by itself that its directory changed.
 */
final class ClaudeSessionFiles implements SessionTransfer {

    private static final int LONGEST = 200;
    private static final String TRANSCRIPT = "transcript.jsonl";
    private static final String BESIDE = "beside/";
    private static final int MOST_BESIDE = 1_000;

    @Override
    public String name() {
        return "claude";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var found = find(projects(location), location, session);
        if (found.isEmpty()) return Optional.empty();
        if (Files.size(found.get()) > most) throw BundleRefusal.tooBig("The conversation " + session, most);
        var pieces = new ArrayList<BundleEntry>();
        pieces.add(directory.lines(TRANSCRIPT, found.get()));
        if (pieces.getFirst().bytes() == 0) return Optional.empty();
        long left = most - pieces.getFirst().bytes();
        var folder = found.get().resolveSibling(session);
        for (var file : beside(folder)) {
            left -= Files.size(file);
            if (left < 0) break; // it can be resumed without
            pieces.add(directory.whole(BESIDE + folder.relativize(file), file));
        }
        return Optional.of(new SessionFiles(name(), session, pieces));
    }

    /** In its directory's own folder, or, if it moved about, in another. */
    private static Optional<Path> find(Path projects, AgentLocation location, String session) throws IOException {
        var own = projects.resolve(folder(location.realCwd())).resolve(session + ".jsonl");
        if (Files.isRegularFile(own, LinkOption.NOFOLLOW_LINKS)) return Optional.of(own);
        if (!Files.isDirectory(projects)) return Optional.empty();
        try (var folders = Files.newDirectoryStream(projects)) {
            for (var folder : folders) {
                var file = folder.resolve(session + ".jsonl");
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    private static List<Path> beside(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return List.of();
        try (var files = Files.walk(folder, 3)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .filter(file -> ConfinedDirectory.staysBelow(
                            BESIDE + folder.relativize(file).toString()))
                    .sorted()
                    .limit(MOST_BESIDE)
                    .toList();
        }
    }

    @Override
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        var places = new LinkedHashMap<String, BundleEntry>();
        var folder = folder(location.realCwd()) + "/";
        for (var piece : conversation.pieces()) {
            if (piece.name().equals(TRANSCRIPT)) places.put(folder + conversation.session() + ".jsonl", piece);
            else if (piece.name().startsWith(BESIDE))
                places.put(folder + conversation.session() + "/" + piece.name().substring(BESIDE.length()), piece);
            else throw BundleRefusal.bad("Claude Code has no file \"%s\"".formatted(piece.name()));
        }
        ConfinedDirectory.at(projects(location)).writeAll(places);
    }

    private static Path projects(AgentLocation location) {
        return ToolDirectories.of(location.environment()).claude().resolve("projects");
    }

    /** How it names the folder of a directory. A long name is cut and told apart by a number made of all of it. */
    static String folder(Path cwd) {
        var text = cwd.toString();
        var name = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            name.append(c < 128 && Character.isLetterOrDigit(c) ? c : '-');
        }
        if (name.length() <= LONGEST) return name.toString();
        return name.substring(0, LONGEST) + "-" + Long.toString(Math.abs((long) text.hashCode()), 36);
    }
}
