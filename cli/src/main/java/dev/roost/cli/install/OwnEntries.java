package dev.roost.cli.install;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Recognizes Roost's entries in a harness's files, also with another path of the launcher. */
final class OwnEntries {

    private static final Pattern LAUNCHER = Pattern.compile("(?:.*/)?roost");

    private OwnEntries() {}

    /** {@code path}: from the root to the hook, with indexes of lists. */
    record HookEntry(String event, List<String> path, JsonNode hook) {}

    static List<HookEntry> hooks(JsonNode tree, String harness) {
        var found = new ArrayList<HookEntry>();
        for (var event : tree.path("hooks").properties()) {
            var groups = elements(event.getValue());
            for (int group = 0; group < groups.size(); group++) {
                var hooks = elements(groups.get(group).path("hooks"));
                for (int i = 0; i < hooks.size(); i++) {
                    var path = List.of("hooks", event.getKey(), String.valueOf(group), "hooks", String.valueOf(i));
                    if (isHook(hooks.get(i), harness)) found.add(new HookEntry(event.getKey(), path, hooks.get(i)));
                }
            }
        }
        return found;
    }

    private static List<JsonNode> elements(JsonNode list) {
        return list.isArray() ? list.valueStream().toList() : List.of();
    }

    private static boolean isHook(JsonNode hook, String harness) {
        String command = hook.path("command").asString("");
        var words = hook.path("args");
        if (words.isArray())
            return LAUNCHER.matcher(command).matches()
                    && words.path(0).asString("").equals("hook")
                    && words.path(1).asString("").equals(harness);
        return Pattern.matches("'?%s'? hook %s \\w+".formatted(LAUNCHER.pattern(), Pattern.quote(harness)), command);
    }

    /** Accepts a command with its arguments in one list, as OpenCode has it, or separate. */
    static boolean isServer(JsonNode server) {
        var command = server.path("command");
        var program = command.isArray() ? command.path(0) : command;
        var first = command.isArray() ? command.path(1) : server.path("args").path(0);
        return LAUNCHER.matcher(program.asString("")).matches()
                && first.asString("").equals("mcp");
    }
}
