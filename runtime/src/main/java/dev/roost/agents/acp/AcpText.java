package dev.roost.agents.acp;

import dev.roost.agents.AgentOutput;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Joins an agent's text into paragraphs. Its chunks may be split anywhere. */
final class AcpText {

    private static final String PARAGRAPH = "\n\n";

    private final StringBuilder text = new StringBuilder();
    private int said;
    private String message = "";

    List<AgentOutput> consume(JsonNode chunk) {
        var id = chunk.path("messageId").asString("");
        var all = new ArrayList<>(id.equals(message) ? List.of() : pause());
        message = id;
        int before = Math.max(said, text.length() - 1); // the break may begin in the previous chunk
        text.append(chunk.path("content").path("text").asString(""));
        int whole = text.substring(before).lastIndexOf(PARAGRAPH);
        if (whole >= 0) all.addAll(say(before + whole + PARAGRAPH.length()));
        return all;
    }

    /** Returns the text not returned yet, even if its last paragraph is incomplete. */
    List<AgentOutput> takeRest() {
        return say(text.length());
    }

    private List<AgentOutput> say(int until) {
        var piece = text.substring(said, until);
        said = until;
        return piece.isBlank() ? List.of() : List.of(new AgentOutput.Text(piece));
    }

    /** Ends the paragraph, because other output interrupts it. */
    List<AgentOutput> pause() {
        var rest = takeRest();
        if (!text.isEmpty()
                && !text.substring(Math.max(0, text.length() - PARAGRAPH.length()))
                        .equals(PARAGRAPH)) {
            text.append(PARAGRAPH);
            said = text.length();
        }
        return rest;
    }

    /** Ends the answer; later text belongs to the next one. */
    List<AgentOutput> nextAnswer() {
        var rest = takeRest();
        text.setLength(0);
        said = 0;
        return rest;
    }

    String answer() {
        return text.toString().strip();
    }
}
