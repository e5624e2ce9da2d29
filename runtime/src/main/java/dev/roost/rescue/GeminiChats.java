package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Finds Gemini CLI chats that stop in the middle of a turn. Gemini CLI has no sub-agents. */
final class GeminiChats {

    private final Path chats;
    private final ScanWindow window;

    GeminiChats(ToolDirectories toolDirectories, ScanWindow window) {
        this.chats = toolDirectories.gemini().resolve("tmp");
        this.window = window;
    }

    List<LostAgent> search() throws IOException {
        var found = new ArrayList<LostAgent>();
        for (var project : ToolDirectories.entries(chats, "*")) {
            for (var file : ToolDirectories.entries(project.resolve("chats"), "session-*.jsonl")) {
                if (window.covers(file)) judge(file, root(project)).ifPresent(found::add);
            }
        }
        return found;
    }

    private static Optional<Path> root(Path project) {
        try {
            return Optional.of(
                    Path.of(Files.readString(project.resolve(".project_root")).strip()));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    private Optional<LostAgent> judge(Path file, Optional<Path> root) throws IOException {
        var chat = new Chat();
        JsonLines.read(file, chat::consume);
        if (!chat.cut() || chat.id.isEmpty() || chat.began.isEmpty() || chat.last.isEmpty()) return Optional.empty();
        var agent = new LostAgent(
                Tool.GEMINI,
                Kind.SESSION,
                chat.id.get(),
                chat.id.get(),
                chat.id,
                TextFormat.printable(chat.prompt.strip()),
                root,
                chat.began.get(),
                chat.last.get(),
                State.CUT,
                chat.text,
                Optional.empty(), // a call is recorded only after it is done
                "its chat stops without an answer",
                file);
        var process =
                root.flatMap(directory -> window.liveProcesses().findProgram("gemini", directory, agent.lastSign()));
        return Optional.of(window.unlessAtWork(agent, process, "process %d runs there"));
    }

    private static final class Chat {
        private Optional<String> id = Optional.empty();
        private Optional<Instant> began = Optional.empty();
        private Optional<Instant> last = Optional.empty();
        private String prompt = "";
        private String text = "";
        private boolean asked;
        private boolean answered;

        private void consume(JsonNode line) {
            id = id.or(() -> line.path("sessionId").asStringOpt());
            began = began.or(() -> JsonLines.time(line, "startTime"));
            last = JsonLines.time(line, "timestamp")
                    .or(() -> JsonLines.time(line.path("$set"), "lastUpdated"))
                    .or(() -> last);
            switch (line.path("type").asString("")) {
                case "user" -> {
                    asked = true;
                    answered = false;
                    for (var part : line.path("content"))
                        prompt = part.path("text").asString(prompt);
                }
                case "gemini" -> {
                    var words = line.path("content").asString("");
                    if (!words.isBlank()) text = words;
                    answered = !words.isBlank() && line.path("toolCalls").isEmpty();
                }
                case "error" -> answered = true; // the error was shown to the caller
                default -> {}
            }
        }

        private boolean cut() {
            return asked && !answered;
        }
    }
}
