package dev.roost.conformance.model;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A step of the model for one request. */
public sealed interface ScriptStep {

    /** Answers with this text, which may be empty. */
    record Say(String words) implements ScriptStep {}

    /** Calls the CLI's own shell tool; with {@code say}, also answers with that text. */
    record Shell(String command) implements ScriptStep {}

    /** Calls the tool of this name, or the first whose name, with its namespace, contains it. */
    record Call(String tool, Map<String, String> arguments) implements ScriptStep {}

    /** An error of the API; {@code plan}: the limit of a subscription, not of a key. */
    record Status(int code, Optional<Integer> reset, boolean plan) implements ScriptStep {}

    /** Never answers. */
    record Hang() implements ScriptStep {}

    /** Begins to answer and closes the connection. */
    record Cut() implements ScriptStep {}

    Pattern FORM = Pattern.compile("(bash|text|status|hang|cut|empty|mcp:[^?]+)(?:\\?(.*))?", Pattern.DOTALL);

    /** Parses a step of a prompt. A step without another form is text. */
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
     * A step with its options: {@code once}, its reported tokens ({@code in}, {@code out}), and its duration in milliseconds
     * ({@code ms}).
     */
    record Written(ScriptStep scriptStep, Map<String, String> given) {

        /** The delay before the answer. */
        Duration thought() {
            return Duration.ofMillis(scriptStep instanceof Call ? 0 : number("ms", 0));
        }

        boolean once() {
            return given.containsKey("once");
        }

        TokenUsage usage(TokenUsage usual) {
            if (scriptStep instanceof Call) return usual; // its parameters belong to the tool
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
