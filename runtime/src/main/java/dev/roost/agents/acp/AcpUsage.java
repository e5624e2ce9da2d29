package dev.roost.agents.acp;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.JsonLines;
import dev.roost.model.Usage;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Computes the usage of an attempt. Agents report sums at the end of a turn, or only the size of their context, which is a
 * lower bound of their input. They count cost from the beginning of the conversation. None reports the number of the
 * model's answers: the tool calls between them separate them.
 */
final class AcpUsage {

    private final Usage before;
    private Usage settled = Usage.NONE;
    private long context;
    private Optional<Long> cost = Optional.empty();
    private long costBefore = -1;
    private int answers;
    private boolean answering;
    private boolean asked;
    private Usage told = Usage.NONE;

    AcpUsage(Usage before) {
        this.before = before;
    }

    /** The model uses a tool. */
    List<AgentOutput> toolUsed() {
        if (!answering) answers++;
        answering = true;
        return news();
    }

    /** Registers text of the model. After a question it begins a new answer: gemini reports no end of a refused tool. */
    List<AgentOutput> textReceived() {
        if (asked) answering = false;
        asked = false;
        return toolUsed();
    }

    void questionAsked() {
        asked = true;
    }

    /** The next output of the model begins a new answer. */
    void toolEnded() {
        answering = false;
    }

    List<AgentOutput> update(JsonNode update) {
        context = Math.max(context, update.path("used").asLong(0));
        var amount = update.path("cost");
        if (amount.path("currency").asString("").equals("USD")) {
            long sum = JsonLines.micros(amount.path("amount"));
            long known = before.costMicros().orElse(0L);
            if (costBefore < 0) costBefore = sum < known ? 0 : known; // a smaller sum: the agent counts from 0 again
            cost = Optional.of(Math.max(0, sum - costBefore));
        }
        return news();
    }

    List<AgentOutput> turnEnded(JsonNode result) {
        toolUsed();
        answering = false;
        var quota = result.path("_meta").path("quota").path("token_count");
        var usage = result.path("usage");
        settled = settled.plus(new Usage(
                tokens(usage, "inputTokens", quota, "input_tokens") + tokens(usage, "cachedWriteTokens", quota, ""),
                tokens(usage, "cachedReadTokens", quota, ""),
                tokens(usage, "outputTokens", quota, "output_tokens"),
                Optional.empty(),
                0));
        return news();
    }

    private static long tokens(JsonNode usage, String name, JsonNode quota, String otherName) {
        return usage.path(name).asLong(quota.path(otherName).asLong(0));
    }

    private List<AgentOutput> news() {
        long atLeast = context - before.tokens() - settled.output();
        var soFar = new Usage(Math.max(settled.input(), atLeast), settled.cached(), settled.output(), cost, answers);
        if (soFar.equals(told)) return List.of();
        told = soFar;
        return List.of(new AgentOutput.UsageTotal(soFar));
    }
}
