package dev.roost.examples.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.roost.agent.Context;

/** Every answer of the model is a step: what was answered before a loss is neither asked nor paid for again. */
record StepModel(ChatModel model, Context context) implements ChatModel {

    @Override
    public ChatResponse chat(ChatRequest request) {
        String answer = context.step("ask the model", () -> {
            var response = model.chat(request);
            var used = response.tokenUsage();
            if (used != null) context.used(used.inputTokenCount(), used.outputTokenCount(), 0);
            return ChatMessageSerializer.messageToJson(response.aiMessage());
        });
        return ChatResponse.builder()
                .aiMessage((AiMessage) ChatMessageDeserializer.messageFromJson(answer))
                .build();
    }
}
