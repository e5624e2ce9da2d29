package dev.roost.conformance.model;

import java.util.List;
import java.util.Optional;

/** A request to the model, the same in every dialect. */
public record ModelRequest(List<Message> messages, List<Tool> tools) {

    /** The text that Claude Code adds as an answer of the model when it resumes an interrupted session. */
    private static final String NOT_SAID_BY_THE_MODEL = "No response requested.";

    public enum Role {
        USER,
        MODEL,
        TOOL,
        OTHER
    }

    public record Message(Role role, String text) {}

    public record Tool(String name, String namespace) {

        Tool(String name) {
            this(name, "");
        }

        String fullName() {
            return namespace + name;
        }
    }

    /** The script of the last prompt that has one. */
    Optional<ModelScript> script() {
        int at = scripted();
        return at < 0 ? Optional.empty() : ModelScript.in(messages.get(at).text());
    }

    /** The number of the model's answers since that prompt. */
    int turns() {
        return (int) messages.subList(scripted() + 1, messages.size()).stream()
                .filter(message ->
                        message.role() == Role.MODEL && !message.text().equals(NOT_SAID_BY_THE_MODEL))
                .count();
    }

    String lastUserText() {
        return messages.reversed().stream()
                .filter(message -> message.role() == Role.USER)
                .map(Message::text)
                .findFirst()
                .orElse("");
    }

    public List<String> toolResults() {
        return messages.stream()
                .filter(message -> message.role() == Role.TOOL)
                .map(Message::text)
                .toList();
    }

    private int scripted() {
        for (int i = messages.size() - 1; i >= 0; i--) {
            var message = messages.get(i);
            if (message.role() == Role.USER && ModelScript.in(message.text()).isPresent()) return i;
        }
        return -1;
    }
}
