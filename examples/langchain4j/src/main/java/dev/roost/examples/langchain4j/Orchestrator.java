package dev.roost.examples.langchain4j;

import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.service.AiServices;
import dev.roost.Roost;
import dev.roost.Settings;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Answers one prompt with the help of background workers: {@code Orchestrator HOME PROMPT…}. */
public final class Orchestrator {

    private static final int MEMORY = 50;

    interface Assistant {
        String chat(String prompt);
    }

    private Orchestrator() {}

    public static void main(String[] args) {
        var prompt = String.join(" ", args).substring(args[0].length()).strip();
        var settings = Settings.DEFAULT.withOwner("langchain4j:example").withAgent("worker", Worker.class);
        try (var roost = Roost.open(Path.of(args[0]), settings)) {
            var assistant = AiServices.builder(Assistant.class)
                    .chatModel(Model.ofEnvironment())
                    .chatMemory(MessageWindowChatMemory.withMaxMessages(MEMORY))
                    .tools(new AgentTools(roost))
                    .build();
            // the prompt contains the notices since the last turn, also those from before a restart of this program
            var notices = roost.inbox();
            var noticeText = notices.stream()
                    .map(notice -> "[notice] " + notice.text() + "\n")
                    .collect(Collectors.joining());
            System.out.println(assistant.chat(noticeText + prompt));
            roost.acknowledge(notices);
        }
    }
}
