package dev.roost.examples.langchain4j;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;

/** The chat model of all agents here, from {@code MODEL_URL}, {@code MODEL_NAME}, {@code MODEL_KEY}. */
final class Model {

    private Model() {}

    static ChatModel ofEnvironment() {
        var environment = System.getenv();
        return OpenAiChatModel.builder()
                .baseUrl(environment.getOrDefault("MODEL_URL", "http://127.0.0.1:11434/v1"))
                .modelName(environment.getOrDefault("MODEL_NAME", "llama3"))
                .apiKey(environment.getOrDefault("MODEL_KEY", "none"))
                .build();
    }
}
