package dev.roost.agents.acp;

import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.model.Cause;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Turns a JSON-RPC error into a failure for people. Each agent puts the useful message into another field. */
final class AcpError {

    private static final Pattern LIMITED = Pattern.compile("\\b429\\b|rate_limit|usage_limit|RESOURCE_EXHAUSTED");
    private static final int AUTHENTICATION_REQUIRED = -32000;
    private static final int UNAUTHORIZED = 401;

    private AcpError() {}

    static FinalReport failure(JsonNode error) {
        if (LIMITED.matcher(error.toString()).find()) return new FinalReport.Failure(Cause.RATE_LIMITED, words(error));
        int code = error.path("code").asInt(0);
        boolean notLoggedIn = code == AUTHENTICATION_REQUIRED || code == UNAUTHORIZED;
        var why = notLoggedIn ? "it is not logged in, or its key is not valid: " + words(error) : words(error);
        return new FinalReport.Failure(Cause.AGENT_ERROR, why);
    }

    static String words(JsonNode error) {
        var data = error.path("data");
        var message = error.path("message").asString("");
        var inside = JsonLines.object(message)
                .map(json -> json.path("error").path("message").asString(""));
        var words = inside.orElseGet(
                () -> data.path("message").asString(data.path("details").asString(message)));
        words = words.replaceFirst("^Internal error: ", "");
        return words.isBlank() ? "it reported an error without a word" : JsonLines.oneLine(words);
    }
}
