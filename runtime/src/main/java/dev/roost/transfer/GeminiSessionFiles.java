package dev.roost.transfer;

import dev.roost.agents.JsonLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gemini CLI: {@code tmp/<project>/chats/session-*.jsonl}. The file {@code .project_root} has the directory of a project; Gemini
 * CLI reads it before it chooses a new project name.
 */
final class GeminiSessionFiles implements SessionTransfer {

    private static final Pattern CHAT = Pattern.compile("session-[A-Za-z0-9-]{1,100}\\.jsonl");
    private static final String ROOT = ".project_root";

    @Override
    public String name() {
        return "gemini";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var entries = new ArrayList<BundleEntry>();
        long left = most;
        for (var project : projects(location)) {
            for (var chat : chats(project)) {
                if (!sessionOf(chat).equals(Optional.of(session))) continue;
                left -= Files.size(chat);
                if (left < 0) throw BundleRefusal.tooBig("The conversation " + session, most);
                var entry = directory.lines(chat.getFileName().toString(), chat);
                if (entry.bytes() > 0) entries.add(entry);
            }
            if (!entries.isEmpty()) return Optional.of(new SessionFiles(name(), session, entries));
        }
        return Optional.empty();
    }

    private static List<Path> chats(Path project) throws IOException {
        var folder = project.resolve("chats");
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return List.of();
        try (var files = Files.list(folder)) {
            return files.filter(
                            file -> CHAT.matcher(file.getFileName().toString()).matches())
                    .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        }
    }

    /** The session id in the first line of a chat. */
    private static Optional<String> sessionOf(Path chat) throws IOException {
        try (var channel = BundleDirectory.open(chat);
                var lines = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
            return Optional.ofNullable(lines.readLine())
                    .flatMap(JsonLines::object)
                    .flatMap(json -> json.path("sessionId").asStringOpt());
        }
    }

    @Override
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        for (var entry : conversation.pieces()) {
            if (!CHAT.matcher(entry.name()).matches())
                throw BundleRefusal.bad("\"%s\" is not a session file of Gemini CLI".formatted(entry.name()));
            if (!sessionOf(entry.file()).equals(Optional.of(conversation.session())))
                throw BundleRefusal.bad("\"%s\" belongs to another conversation".formatted(entry.name()));
        }
        var confined = ConfinedDirectory.at(tmp(location));
        var project = project(location);
        var targets = new LinkedHashMap<String, BundleEntry>();
        for (var entry : conversation.pieces())
            targets.put(project + "/chats/" + name(conversation, targets.size() + 1), entry);
        confined.writeAll(targets);
        for (var chat : chats(tmp(location).resolve(project)))
            if (!targets.containsKey(project + "/chats/" + chat.getFileName())
                    && sessionOf(chat).equals(Optional.of(conversation.session()))) ConfinedDirectory.moveAside(chat);
    }

    /**
     * A name that Gemini CLI never chooses: over ACP it creates a file named by the current minute before it loads a session, and
     * would overwrite a file of the same minute.
     */
    private static String name(SessionFiles conversation, int n) {
        var session = conversation.session();
        return "session-moved-%d-%s.jsonl".formatted(n, session.substring(0, Math.min(8, session.length())));
    }

    /** The project of this directory; creates one with a free name if there is none. */
    private static String project(AgentLocation location) throws IOException {
        var cwd = location.realCwd().toString();
        for (var known : projects(location))
            if (root(known).equals(Optional.of(cwd))) return known.getFileName().toString();
        for (int n = 1; ; n++) {
            var name = "roost-" + Integer.toHexString(cwd.hashCode()) + "-" + n;
            try {
                var folder = Files.createDirectory(tmp(location).resolve(name));
                Files.writeString(folder.resolve(ROOT), cwd);
                return name;
            } catch (FileAlreadyExistsException e) {
                // the project of another directory
            }
        }
    }

    private static Optional<String> root(Path project) {
        try (var channel = BundleDirectory.open(project.resolve(ROOT))) {
            return Optional.of(
                    new String(Channels.newInputStream(channel).readNBytes(1 << 16), StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** All projects, the one of this directory first. */
    private static List<Path> projects(AgentLocation location) throws IOException {
        if (!Files.isDirectory(tmp(location))) return List.of();
        var cwd = Optional.of(location.realCwd().toString());
        try (var folders = Files.list(tmp(location))) {
            return folders.filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                    .filter(folder ->
                            ConfinedDirectory.staysBelow(folder.getFileName().toString()))
                    .sorted(java.util.Comparator.<Path, Boolean>comparing(
                                    folder -> !root(folder).equals(cwd))
                            .thenComparing(java.util.Comparator.naturalOrder()))
                    .toList();
        }
    }

    private static Path tmp(AgentLocation location) {
        return location.tools().gemini().resolve("tmp");
    }
}
