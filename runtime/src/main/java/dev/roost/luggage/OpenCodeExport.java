package dev.roost.luggage;

import dev.roost.agents.Programs;
import dev.roost.rescue.Places;
import dev.roost.run.Broken;
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
 * OpenCode keeps all sessions in one database, which is its own to write. Its program exports a session and imports it
 * again, for the directory it is started in.
 */
final class OpenCodeExport implements Tool {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String EXPORT = "export.json";
    private static final long PATIENCE_SECONDS = 120;

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public Optional<Conversation> pack(Seat seat, String session, Hold hold, long most) throws IOException {
        if (!Files.exists(Places.of(seat.environment()).openCode())) return Optional.empty();
        var export = export(seat, session, hold, most);
        if (export.isEmpty()) return Optional.empty();
        return Optional.of(new Conversation(name(), session, List.of(hold.whole(EXPORT, export.get()))));
    }

    /** Into a file: what it writes to a pipe, its end may cut off. */
    private static Optional<Path> export(Seat seat, String session, Hold hold, long most) throws IOException {
        var file = hold.next();
        if (run(seat, file, hold, "export", session) != 0) return Optional.empty();
        if (Files.size(file) > most) throw Refusal.tooBig("The conversation " + session, most);
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
    public void unpack(Conversation conversation, Seat seat, Hold hold) throws IOException {
        var session = conversation.session();
        if (conversation.pieces().size() != 1
                || !conversation.pieces().getFirst().name().equals(EXPORT))
            throw Refusal.bad("a session of OpenCode is one export");
        var file = conversation.pieces().getFirst().file();
        var coming = read(file).filter(json -> isOf(json, session));
        if (coming.isEmpty()) throw Refusal.bad("it is no export of the session " + session);
        if (Files.exists(Places.of(seat.environment()).openCode())) clear(seat, session, coming.get(), hold);
        if (run(seat, hold.next(), hold, "import", file.toAbsolutePath().toString()) != 0)
            throw new Broken(
                    "session_not_imported",
                    "OpenCode does not import the session %s: %s".formatted(session, complaint(hold)),
                    "See whether `opencode import` works on this machine, and is as new as on the other.");
    }

    /** An import adds to what is there. What this machine said last, and nobody went on from, must not stay in between. */
    private static void clear(Seat seat, String session, JsonNode coming, Hold hold) throws IOException {
        var here = export(seat, session, hold, Long.MAX_VALUE);
        if (here.isEmpty()
                || messages(coming).containsAll(messages(read(here.get()).orElseThrow()))) return;
        var before =
                Files.createDirectories(Places.of(seat.environment()).openCode().resolveSibling("roost-before"));
        Files.copy(here.get(), before.resolve(session + ".json"), StandardCopyOption.REPLACE_EXISTING);
        var _ = run(seat, hold.next(), hold, "session", "delete", session);
    }

    private static int run(Seat seat, Path out, Hold hold, String... words) throws IOException {
        var name = seat.program().isEmpty() ? "opencode" : seat.program().getFirst();
        var program = Programs.find(name, seat.cwd(), seat.environment());
        if (program.isEmpty()) throw new IOException("there is no program " + name);
        var command = new ArrayList<>(List.of(program.get().toString()));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command)
                .directory(seat.cwd().toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(hold.folder().resolve("err").toFile());
        builder.environment().clear();
        builder.environment().putAll(seat.environment());
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

    private static String complaint(Hold hold) throws IOException {
        var text = Files.readString(hold.folder().resolve("err")).strip();
        return text.substring(Math.max(0, text.length() - 300));
    }
}
