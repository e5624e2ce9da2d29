package dev.roost.transfer;

import dev.roost.agents.Programs;
import dev.roost.base.Broken;
import dev.roost.rescue.ToolDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * OpenCodeHooks keeps all sessions in one database, which is its own to write. Its program exports a session and imports it
 * again, for the directory it is started in.
 */
final class OpenCodeSessionExport implements SessionTransfer {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String EXPORT = "export.json";
    private static final long PATIENCE_SECONDS = 120;

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        if (!Files.exists(ToolDirectories.of(location.environment()).openCode())) return Optional.empty();
        var export = export(location, session, directory, most);
        if (export.isEmpty()) return Optional.empty();
        return Optional.of(new SessionFiles(name(), session, List.of(directory.whole(EXPORT, export.get()))));
    }

    /** Into a file: what it writes to a pipe, its end may cut off. */
    private static Optional<Path> export(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var file = directory.nextPath();
        if (run(location, file, directory, "export", session) != 0) return Optional.empty();
        if (Files.size(file) > most) throw BundleRefusal.tooBig("The conversation " + session, most);
        return read(file).filter(json -> isOf(json, session)).map(_ -> file);
    }

    private static Optional<JsonNode> read(Path file) {
        try {
            return Optional.of(JSON.readTree(file)).filter(JsonNode::isObject);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static boolean isOf(JsonNode export, String session) {
        return export.path("info").path("id").asString("").equals(session)
                && export.path("messages")
                        .valueStream()
                        .allMatch(message -> message.path("info")
                                .path("sessionID")
                                .asString("")
                                .equals(session));
    }

    private static Set<String> messages(JsonNode export) {
        return export.path("messages")
                .valueStream()
                .map(message -> message.path("info").path("id").asString(""))
                .collect(Collectors.toSet());
    }

    @Override
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        var session = conversation.session();
        if (conversation.pieces().size() != 1
                || !conversation.pieces().getFirst().name().equals(EXPORT))
            throw BundleRefusal.bad("a session of OpenCode is one export");
        var file = conversation.pieces().getFirst().file();
        var coming = read(file).filter(json -> isOf(json, session));
        if (coming.isEmpty()) throw BundleRefusal.bad("it is no export of the session " + session);
        if (Files.exists(ToolDirectories.of(location.environment()).openCode()))
            deleteStaleMessages(location, session, coming.get(), directory);
        if (run(
                        location,
                        directory.nextPath(),
                        directory,
                        "import",
                        file.toAbsolutePath().toString())
                != 0)
            throw new Broken(
                    "session_not_imported",
                    "OpenCode does not import the session %s: %s".formatted(session, complaint(directory)),
                    "See whether `opencode import` works on this machine, and is as new as on the other.");
    }

    /** An import adds to what is there. What this machine said last, and nobody went on from, must not stay in between. */
    private static void deleteStaleMessages(
            AgentLocation location, String session, JsonNode coming, BundleDirectory directory) throws IOException {
        var here = export(location, session, directory, Long.MAX_VALUE);
        if (here.isEmpty()
                || messages(coming).containsAll(messages(read(here.get()).orElseThrow()))) return;
        var before = Files.createDirectories(
                ToolDirectories.of(location.environment()).openCode().resolveSibling("roost-before"));
        Files.copy(here.get(), before.resolve(session + ".json"), StandardCopyOption.REPLACE_EXISTING);
        var _ = run(location, directory.nextPath(), directory, "session", "delete", session);
    }

    private static int run(AgentLocation location, Path out, BundleDirectory directory, String... words)
            throws IOException {
        var name =
                location.program().isEmpty() ? "opencode" : location.program().getFirst();
        var program = Programs.find(name, location.cwd(), location.environment());
        if (program.isEmpty()) throw new IOException("there is no program " + name);
        var command = new ArrayList<>(List.of(program.get().toString()));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command)
                .directory(location.cwd().toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(directory.folder().resolve("err").toFile());
        builder.environment().clear();
        builder.environment().putAll(location.environment());
        var process = builder.start();
        try {
            if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) return process.exitValue();
            throw new IOException("%s %s does not end".formatted(name, words[0]));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String complaint(BundleDirectory directory) throws IOException {
        var text = Files.readString(directory.folder().resolve("err")).strip();
        return text.substring(Math.max(0, text.length() - 300));
    }
}
