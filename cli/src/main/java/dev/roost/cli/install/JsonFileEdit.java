package dev.roost.cli.install;

import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Hooks and an MCP server in a JSON file.
 *
 * @param harness as in {@code roost hook HARNESS EVENT}
 * @param groups the hooks to add, by event
 * @param server path of the MCP server's entry; empty for none
 */
record JsonFileEdit(Path file, String harness, Map<String, ObjectNode> groups, List<String> server, ObjectNode entry)
        implements HarnessFileEdit {

    private static final String HOOKS = "hooks";

    @Override
    public boolean isComplete(String text) {
        var tree = JsonDocumentEdit.read(text);
        boolean served = server.isEmpty() || covers(entry, at(tree, server));
        int wanted = 0;
        for (var event : groups.entrySet()) {
            for (var hook : event.getValue().path(HOOKS)) {
                wanted++;
                if (OwnEntries.hooks(tree, harness).stream()
                        .noneMatch(entries -> entries.event().equals(event.getKey()) && covers(hook, entries.hook())))
                    return false;
            }
        }
        return served && OwnEntries.hooks(tree, harness).size() == wanted;
    }

    JsonNode serverIn(JsonNode tree) {
        return at(tree, server);
    }

    private static JsonNode at(JsonNode tree, List<String> path) {
        var node = tree;
        for (var name : path) node = node.path(name);
        return node;
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
        return isOurServer(tree) || !OwnEntries.hooks(tree, harness).isEmpty();
    }

    private boolean isOurServer(JsonNode tree) {
        return !server.isEmpty() && OwnEntries.isServer(at(tree, server));
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
        for (var entries = OwnEntries.hooks(source.tree(), harness);
                !entries.isEmpty();
                entries = OwnEntries.hooks(source.tree(), harness)) {
            var path = entries.getFirst().path();
            source = source.remove(path);
            var list = path.subList(0, path.size() - 1);
            if (source.at(list).orElseThrow().isEmpty())
                source = prune(source.remove(path.subList(0, 3)), path.subList(0, 2), before);
        }
        if (isOurServer(source.tree()))
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
