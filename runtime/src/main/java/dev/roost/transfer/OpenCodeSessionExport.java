package dev.roost.transfer;

import dev.roost.agents.JsonLines;
import dev.roost.agents.Programs;
import dev.roost.base.ErrorCode;
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
import tools.jackson.databind.JsonNode;

/**
 * OpenCode keeps all sessions in one database, which only its program may write. The program exports a session, and imports one
 * for the directory in which it is started.
 */
final class OpenCodeSessionExport implements SessionTransfer {

    private static final String EXPORT = "export.json";
    private static final long TIMEOUT_SECONDS = 120;

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        if (!Files.exists(location.tools().openCode())) return Optional.empty();
        var export = export(location, session, directory, most);
        if (export.isEmpty()) return Optional.empty();
        return Optional.of(new SessionFiles(name(), session, List.of(directory.whole(EXPORT, export.get()))));
    }

    /** Exports to a file: output to a pipe may be cut off when the program exits. */
    private static Optional<Path> export(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var file = directory.nextPath();
        if (run(location, file, directory, "export", session) != 0) return Optional.empty();
        if (Files.size(file) > most) throw BundleRefusal.tooBig("The conversation " + session, most);
        return JsonLines.object(file).filter(json -> isOf(json, session)).map(_ -> file);
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
            throw BundleRefusal.bad("an OpenCode session must be one export file");
        var file = conversation.pieces().getFirst().file();
        var incoming = JsonLines.object(file).filter(json -> isOf(json, session));
        if (incoming.isEmpty()) throw BundleRefusal.bad("it is not an export of the session " + session);
        if (Files.exists(location.tools().openCode()))
            deleteStaleMessages(location, session, incoming.get(), directory);
        if (run(
                        location,
                        directory.nextPath(),
                        directory,
                        "import",
                        file.toAbsolutePath().toString())
                != 0)
            throw ErrorCode.SESSION_NOT_IMPORTED.error(
                    "OpenCode failed to import the session %s: %s".formatted(session, errorOutput(directory)));
    }

    /**
     * Deletes the local session if it has messages that the incoming one lacks: an import only adds messages, and stale ones
     * would stay in between. The local session is saved first.
     */
    private static void deleteStaleMessages(
            AgentLocation location, String session, JsonNode incoming, BundleDirectory directory) throws IOException {
        var local = export(location, session, directory, Long.MAX_VALUE);
        if (local.isEmpty()
                || messages(incoming)
                        .containsAll(messages(JsonLines.object(local.get()).orElseThrow()))) return;
        var backups = Files.createDirectories(location.tools().openCode().resolveSibling("roost-before"));
        Files.copy(local.get(), backups.resolve(session + ".json"), StandardCopyOption.REPLACE_EXISTING);
        var _ = run(location, directory.nextPath(), directory, "session", "delete", session);
    }

    private static int run(AgentLocation location, Path out, BundleDirectory directory, String... words)
            throws IOException {
        var name =
                location.program().isEmpty() ? "opencode" : location.program().getFirst();
        var program = Programs.find(name, location.cwd(), location.environment());
        if (program.isEmpty()) throw new IOException("the program %s was not found".formatted(name));
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
            if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) return process.exitValue();
            throw new IOException("%s %s did not end in time".formatted(name, words[0]));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String errorOutput(BundleDirectory directory) throws IOException {
        var text = Files.readString(directory.folder().resolve("err")).strip();
        return text.substring(Math.max(0, text.length() - 300));
    }
}
