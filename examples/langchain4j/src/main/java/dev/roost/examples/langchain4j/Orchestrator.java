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

    public static void main(String[] words) {
        var prompt = String.join(" ", words).substring(words[0].length()).strip();
        var settings = Settings.DEFAULT.withOwner("langchain4j:example").withAgent("worker", Worker.class);
        try (var roost = Roost.open(Path.of(words[0]), settings)) {
            var assistant = AiServices.builder(Assistant.class)
                    .chatModel(Model.ofEnvironment())
                    .chatMemory(MessageWindowChatMemory.withMaxMessages(MEMORY))
                    .tools(new AgentTools(roost))
                    .build();
            // what ended since the last turn, this program's last life included, is told with the next prompt
            var news = roost.inbox();
            var told = news.stream()
                    .map(notice -> "[notice] " + notice.text() + "\n")
                    .collect(Collectors.joining());
            System.out.println(assistant.chat(told + prompt));
            roost.acknowledge(news);
        }
    }
}
