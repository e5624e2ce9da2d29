package dev.roost.cli.install;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Hooks and an MCP server in a JSON file. Recognizes Roost's entries also with another path of the launcher.
 *
 * @param harness as in {@code roost hook HARNESS EVENT}
 * @param groups the hooks to add, by event
 * @param server path of the MCP server's entry; empty for none
 */
record JsonFileEdit(Path file, String harness, Map<String, ObjectNode> groups, List<String> server, ObjectNode entry)
        implements HarnessFileEdit {

    private static final String HOOKS = "hooks";
    private static final Pattern LAUNCHER = Pattern.compile("(?:.*/)?roost");

    /** {@code path}: from the root to the hook, with indexes of lists. */
    record HookEntry(String event, List<String> path, JsonNode hook) {}

    static JsonFileEdit ofHooks(Path file, String harness, Map<String, ObjectNode> groups) {
        return new JsonFileEdit(file, harness, groups, List.of(), ClientCommand.params());
    }

    static JsonFileEdit ofServer(Path file, String harness, List<String> server, ObjectNode entry) {
        return new JsonFileEdit(file, harness, Map.of(), server, entry);
    }

    static ObjectNode group(ObjectNode... hooks) {
        var group = ClientCommand.params();
        group.putArray(HOOKS).addAll(List.of(hooks));
        return group;
    }

    static ObjectNode hook(String command) {
        return ClientCommand.params().put("type", "command").put("command", command);
    }

    @Override
    public boolean isComplete(String text) {
        var tree = JsonDocumentEdit.read(text);
        var present = hooksIn(tree);
        var wanted = new ArrayList<HookEntry>();
        groups.forEach((event, group) ->
                group.path(HOOKS).forEach(hook -> wanted.add(new HookEntry(event, List.of(), hook))));
        return (server.isEmpty() || covers(entry, serverIn(tree)))
                && present.size() == wanted.size()
                && wanted.stream()
                        .allMatch(one -> present.stream()
                                .anyMatch(other -> other.event.equals(one.event) && covers(one.hook, other.hook)));
    }

    JsonNode serverIn(JsonNode tree) {
        var node = tree;
        for (var name : server) node = node.path(name);
        return node;
    }

    /** Roost's hooks in the file. */
    List<HookEntry> hooksIn(JsonNode tree) {
        var found = new ArrayList<HookEntry>();
        for (var event : tree.path(HOOKS).properties()) {
            var all = elements(event.getValue());
            for (int group = 0; group < all.size(); group++) {
                var hooks = elements(all.get(group).path(HOOKS));
                for (int i = 0; i < hooks.size(); i++) {
                    var path = List.of(HOOKS, event.getKey(), String.valueOf(group), HOOKS, String.valueOf(i));
                    if (isHook(hooks.get(i))) found.add(new HookEntry(event.getKey(), path, hooks.get(i)));
                }
            }
        }
        return found;
    }

    private static List<JsonNode> elements(JsonNode list) {
        return list.isArray() ? list.valueStream().toList() : List.of();
    }

    private boolean isHook(JsonNode hook) {
        var command = hook.path("command").asString("");
        var words = hook.path("args");
        if (words.isArray())
            return LAUNCHER.matcher(command).matches()
                    && words.path(0).asString("").equals("hook")
                    && words.path(1).asString("").equals(harness);
        return Pattern.matches("'?%s'? hook %s \\w+".formatted(LAUNCHER.pattern(), Pattern.quote(harness)), command);
    }

    /** Ignores fields that the user added. */
    private static boolean covers(JsonNode wanted, JsonNode present) {
        return wanted.isObject()
                ? wanted.propertyStream().allMatch(field -> covers(field.getValue(), present.path(field.getKey())))
                : wanted.equals(present);
    }

    @Override
    public boolean isPresentIn(String text) {
        var tree = JsonDocumentEdit.read(text);
        return hasServer(tree) || !hooksIn(tree).isEmpty();
    }

    /** Accepts a command with its arguments in one list, as OpenCode has it, or separate. */
    private boolean hasServer(JsonNode tree) {
        if (server.isEmpty()) return false;
        var command = serverIn(tree).path("command");
        var program = command.isArray() ? command.path(0) : command;
        var first = command.isArray()
                ? command.path(1)
                : serverIn(tree).path("args").path(0);
        return LAUNCHER.matcher(program.asString("")).matches()
                && first.asString("").equals("mcp");
    }

    @Override
    public String addTo(String text) {
        var source = JsonDocumentEdit.of(removeFrom(text, Optional.of(text)));
        for (var event : groups.entrySet()) source = source.append(List.of(HOOKS, event.getKey()), event.getValue());
        if (server.isEmpty()) return source.text();
        if (source.at(server).isPresent())
            throw NotEditable.because("has %s already, and Roost did not write it".formatted(String.join(".", server)));
        return source.put(server, entry).text();
    }

    /** Also removes lists and objects that are empty then, unless {@code original} has them. */
    @Override
    public String removeFrom(String text, Optional<String> original) {
        var before = original.map(JsonDocumentEdit::of);
        var source = JsonDocumentEdit.of(text);
        for (var entries = hooksIn(source.tree()); !entries.isEmpty(); entries = hooksIn(source.tree())) {
            var path = entries.getFirst().path();
            source = source.remove(path);
            if (source.at(path.subList(0, path.size() - 1)).orElseThrow().isEmpty())
                source = prune(source.remove(path.subList(0, 3)), path.subList(0, 2), before);
        }
        if (hasServer(source.tree()))
            source = prune(source.remove(server), server.subList(0, server.size() - 1), before);
        return source.text();
    }

    private static JsonDocumentEdit prune(
            JsonDocumentEdit source, List<String> path, Optional<JsonDocumentEdit> before) {
        var pruned = source;
        for (var parent = new ArrayList<>(path); !parent.isEmpty(); parent.removeLast()) {
            boolean wanted = before.flatMap(old -> old.at(parent)).isPresent();
            if (wanted || !pruned.at(parent).orElseThrow().isEmpty()) break;
            pruned = pruned.remove(parent);
        }
        return pruned;
    }

    @Override
    public boolean isNothing(String text) {
        return JsonDocumentEdit.of(text).isEmpty();
    }
}
