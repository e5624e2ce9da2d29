package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.object;

import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ModelTurn.ToolCall;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The name and arguments of each CLI's shell tool. */
final class ShellToolCalls {

    private static final List<String> NAMES =
            List.of("Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command");

    private ShellToolCalls() {}

    static Optional<ToolCall> call(List<Tool> tools, String command) {
        return NAMES.stream()
                .flatMap(name -> tools.stream().filter(tool -> tool.name().equals(name)))
                .findFirst()
                .map(tool -> new ToolCall(tool, arguments(tool.name(), command)));
    }

    private static ObjectNode arguments(String tool, String command) {
        return switch (tool) {
            case "exec_command" -> object("cmd", command, "yield_time_ms", 30_000);
            case "shell" -> object("command", List.of("sh", "-c", command));
            default -> object("command", command, "description", "a scripted step");
        };
    }
}
