package dev.roost.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Claude Code: {@code projects/<directory>/<session>.jsonl}, and a folder beside it with the transcripts of sub-agents and with
 * long tool results. Claude Code reads the file unchanged and itself tells the model that the directory changed.
 */
final class ClaudeSessionFiles implements SessionTransfer {

    private static final int MAX_FOLDER_NAME = 200;
    private static final String TRANSCRIPT = "transcript.jsonl";
    private static final String BESIDE = "beside/";
    private static final int MAX_BESIDE = 1_000;

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
        var entries = new ArrayList<BundleEntry>();
        entries.add(directory.lines(TRANSCRIPT, found.get()));
        if (entries.getFirst().bytes() == 0) return Optional.empty();
        long left = most - entries.getFirst().bytes();
        var folder = found.get().resolveSibling(session);
        for (var file : beside(folder)) {
            left -= Files.size(file);
            if (left < 0) break; // the session resumes without the rest
            entries.add(directory.whole(BESIDE + folder.relativize(file), file));
        }
        return Optional.of(new SessionFiles(name(), session, entries));
    }

    /** Finds the session in the folder of the directory, or in another folder if the agent has moved. */
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
                    .limit(MAX_BESIDE)
                    .toList();
        }
    }

    @Override
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        var targets = new LinkedHashMap<String, BundleEntry>();
        var folder = folder(location.realCwd()) + "/";
        for (var entry : conversation.pieces()) {
            if (entry.name().equals(TRANSCRIPT)) targets.put(folder + conversation.session() + ".jsonl", entry);
            else if (entry.name().startsWith(BESIDE))
                targets.put(folder + conversation.session() + "/" + entry.name().substring(BESIDE.length()), entry);
            else throw BundleRefusal.bad("\"%s\" is not a session file of Claude Code".formatted(entry.name()));
        }
        ConfinedDirectory.at(projects(location)).writeAll(targets);
    }

    private static Path projects(AgentLocation location) {
        return location.tools().claude().resolve("projects");
    }

    /** The folder name that Claude Code gives a directory. A long name is cut and made unique by a hash of the whole path. */
    static String folder(Path cwd) {
        var text = cwd.toString();
        var name = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            name.append(c < 128 && Character.isLetterOrDigit(c) ? c : '-');
        }
        if (name.length() <= MAX_FOLDER_NAME) return name.toString();
        return name.substring(0, MAX_FOLDER_NAME) + "-" + Long.toString(Math.abs((long) text.hashCode()), 36);
    }
}
