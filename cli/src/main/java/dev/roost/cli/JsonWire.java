package dev.roost.cli;

import dev.roost.cli.edit.JsonSource;
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
 * @param groups for each event, what is added to its list
 * @param server where the MCP server goes; empty for none
 */
record JsonWire(Path file, String harness, Map<String, ObjectNode> groups, List<String> server, ObjectNode entry)
        implements Wire {

    private static final String HOOKS = "hooks";

    @Override
    public boolean isWhole(String text) {
        var tree = JsonSource.read(text);
        boolean served = server.isEmpty() || covers(entry, at(tree, server));
        int wanted = 0;
        for (var event : groups.entrySet()) {
            for (var hook : event.getValue().path(HOOKS)) {
                wanted++;
                if (Ours.hooks(tree, harness).stream()
                        .noneMatch(ours -> ours.event().equals(event.getKey()) && covers(hook, ours.hook())))
                    return false;
            }
        }
        return served && Ours.hooks(tree, harness).size() == wanted;
    }

    JsonNode serverIn(JsonNode tree) {
        return at(tree, server);
    }

    private static JsonNode at(JsonNode tree, List<String> path) {
        var node = tree;
        for (var name : path) node = node.path(name);
        return node;
    }

    /** What the user added to what is ours is no reason to write it again. */
    private static boolean covers(JsonNode wanted, JsonNode there) {
        return wanted.isObject()
                ? wanted.propertyStream().allMatch(field -> covers(field.getValue(), there.path(field.getKey())))
                : wanted.equals(there);
    }

    @Override
    public boolean isOursIn(String text) {
        var tree = JsonSource.read(text);
        return isOurServer(tree) || !Ours.hooks(tree, harness).isEmpty();
    }

    private boolean isOurServer(JsonNode tree) {
        return !server.isEmpty() && Ours.isServer(at(tree, server));
    }

    @Override
    public String into(String text) {
        var source = JsonSource.of(outOf(text, Optional.of(text)));
        for (var event : groups.entrySet()) source = source.append(List.of(HOOKS, event.getKey()), event.getValue());
        if (server.isEmpty()) return source.text();
        if (source.at(server).isPresent())
            throw NotEditable.because("has %s already, and Roost did not write it".formatted(String.join(".", server)));
        return source.put(server, entry).text();
    }

    /** A list or an object that is empty then goes too, unless it was there before. */
    @Override
    public String outOf(String text, Optional<String> original) {
        var before = original.map(JsonSource::of);
        var source = JsonSource.of(text);
        for (var ours = Ours.hooks(source.tree(), harness);
                !ours.isEmpty();
                ours = Ours.hooks(source.tree(), harness)) {
            var path = ours.getFirst().path();
            source = source.remove(path);
            var list = path.subList(0, path.size() - 1);
            if (source.at(list).orElseThrow().isEmpty())
                source = prune(source.remove(path.subList(0, 3)), path.subList(0, 2), before);
        }
        if (isOurServer(source.tree()))
            source = prune(source.remove(server), server.subList(0, server.size() - 1), before);
        return source.text();
    }

    private static JsonSource prune(JsonSource source, List<String> path, Optional<JsonSource> before) {
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
        return JsonSource.of(text).isEmpty();
    }
}
