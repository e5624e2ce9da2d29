package dev.roost.transfer;

import dev.roost.rescue.ToolDirectories;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Gemini CLI: {@code tmp/<name of the project>/chats/session-*.jsonl}. Which directory a name stands for is written in
 * {@code .project_root}, where it looks before it makes up another name.
 */
final class GeminiSessionFiles implements SessionTransfer {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern CHAT = Pattern.compile("session-[A-Za-z0-9-]{1,100}\\.jsonl");
    private static final String ROOT = ".project_root";

    @Override
    public String name() {
        return "gemini";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var pieces = new ArrayList<BundleEntry>();
        long left = most;
        for (var project : projects(location)) {
            for (var chat : chats(project)) {
                if (!sessionOf(chat).equals(Optional.of(session))) continue;
                left -= Files.size(chat);
                if (left < 0) throw BundleRefusal.tooBig("The conversation " + session, most);
                var piece = directory.lines(chat.getFileName().toString(), chat);
                if (piece.bytes() > 0) pieces.add(piece);
            }
            if (!pieces.isEmpty()) return Optional.of(new SessionFiles(name(), session, pieces));
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

    /** As its first line says. */
    private static Optional<String> sessionOf(Path chat) throws IOException {
        try (var channel = BundleDirectory.open(chat);
                var lines = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
            var first = lines.readLine();
            return first == null
                    ? Optional.empty()
                    : JSON.readTree(first).path("sessionId").asStringOpt();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    @Override
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        for (var piece : conversation.pieces()) {
            if (!CHAT.matcher(piece.name()).matches())
                throw BundleRefusal.bad("Gemini CLI has no file \"%s\"".formatted(piece.name()));
            if (!sessionOf(piece.file()).equals(Optional.of(conversation.session())))
                throw BundleRefusal.bad("\"%s\" is another conversation".formatted(piece.name()));
        }
        var ground = ConfinedDirectory.at(tmp(location));
        var project = project(location);
        var places = new LinkedHashMap<String, BundleEntry>();
        for (var piece : conversation.pieces())
            places.put(project + "/chats/" + name(conversation, places.size() + 1), piece);
        ground.writeAll(places);
        for (var chat : chats(tmp(location).resolve(project)))
            if (!places.containsKey(project + "/chats/" + chat.getFileName())
                    && sessionOf(chat).equals(Optional.of(conversation.session()))) ConfinedDirectory.moveAside(chat);
    }

    /**
     * A name that it never gives itself: over ACP it begins a file for the minute it is in before it loads a session, and
     * would wipe out one that began in the same minute.
     */
    private static String name(SessionFiles conversation, int n) {
        var session = conversation.session();
        return "session-moved-%d-%s.jsonl".formatted(n, session.substring(0, Math.min(8, session.length())));
    }

    /** The name it has for this directory; if it has none, one is taken that is free. */
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
                // somebody else's
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

    /** That of this directory first. */
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
        return ToolDirectories.of(location.environment()).gemini().resolve("tmp");
    }
}
