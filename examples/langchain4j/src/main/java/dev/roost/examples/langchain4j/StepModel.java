package dev.roost.examples.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.roost.agent.Context;

/** Makes every model call a step: calls that were answered before a loss are not repeated or paid for again. */
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
