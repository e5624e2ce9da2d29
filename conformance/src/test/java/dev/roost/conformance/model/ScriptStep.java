package dev.roost.conformance.model;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** One thing the model does when it is asked. */
public sealed interface ScriptStep {

    /** Answers with these words, and with none if they are empty. */
    record Say(String words) implements ScriptStep {}

    /** Calls the CLI's own shell tool; with {@code say}, says that in the same breath. */
    record Shell(String command) implements ScriptStep {}

    /** Calls the tool of this name, or else the first whose name, namespace included, contains it. */
    record Call(String tool, Map<String, String> arguments) implements ScriptStep {}

    /** An error of the API; {@code plan}: a subscription's limit instead of a key's. */
    record Status(int code, Optional<Integer> reset, boolean plan) implements ScriptStep {}

    /** Never answers. */
    record Hang() implements ScriptStep {}

    /** Begins to answer and drops the connection. */
    record Cut() implements ScriptStep {}

    Pattern FORM = Pattern.compile("(bash|text|status|hang|cut|empty|mcp:[^?]+)(?:\\?(.*))?", Pattern.DOTALL);

    /** A step as written in a prompt. Whatever has no other form is words to say. */
    static Written read(String source) {
        var form = FORM.matcher(source);
        if (!form.matches()) return new Written(new Say(decoded(source.replace("+", "%2B"))), Map.of());
        var given = parameters(form.group(2) == null ? "" : form.group(2));
        String kind = form.group(1);
        return new Written(
                switch (kind) {
                    case "bash" -> new Shell(given.getOrDefault("cmd", "echo hi"));
                    case "text" -> new Say(given.getOrDefault("t", "text"));
                    case "empty" -> new Say("");
                    case "hang" -> new Hang();
                    case "cut" -> new Cut();
                    case "status" ->
                        new Status(
                                Integer.parseInt(given.getOrDefault("code", "500")),
                                Optional.ofNullable(given.get("reset")).map(Integer::valueOf),
                                given.containsKey("plan"));
                    default -> new Call(kind.substring("mcp:".length()), given);
                },
                given);
    }

    /**
     * A step with what was written around it: {@code once}, the tokens it is said to use ({@code in}, {@code out}), and how
     * long it takes ({@code ms}).
     */
    record Written(ScriptStep scriptStep, Map<String, String> given) {

        /** How long the model thinks before it answers. */
        Duration thought() {
            return Duration.ofMillis(scriptStep instanceof Call ? 0 : number("ms", 0));
        }

        boolean once() {
            return given.containsKey("once");
        }

        TokenUsage usage(TokenUsage usual) {
            if (scriptStep instanceof Call) return usual; // its parameters are the tool's
            return new TokenUsage(number("in", usual.input()), number("out", usual.output()));
        }

        private int number(String name, int otherwise) {
            return given.containsKey(name) ? Integer.parseInt(given.get(name)) : otherwise;
        }
    }

    private static Map<String, String> parameters(String query) {
        var parameters = new LinkedHashMap<String, String>();
        for (var pair : query.split("&", -1)) {
            if (pair.isEmpty()) continue;
            var sides = pair.split("=", 2);
            parameters.put(decoded(sides[0]), sides.length == 1 ? "" : decoded(sides[1]));
        }
        return parameters;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a plain percent sign
        }
    }
}
