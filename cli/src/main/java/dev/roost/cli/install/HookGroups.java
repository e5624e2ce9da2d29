package dev.roost.cli.install;

import dev.roost.cli.client.DaemonClient;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** The hooks to add to a harness's settings, by event. */
final class HookGroups {

    private final Map<String, ObjectNode> groups = new LinkedHashMap<>();

    /** {@code head}: adds the group's other fields. */
    HookGroups add(String event, UnaryOperator<ObjectNode> head, ObjectNode... hooks) {
        var group = head.apply(DaemonClient.JSON.createObjectNode());
        var list = group.putArray("hooks");
        for (var hook : hooks) list.add(hook);
        groups.put(event, group);
        return this;
    }

    HookGroups add(String event, ObjectNode... hooks) {
        return add(event, group -> group, hooks);
    }

    Map<String, ObjectNode> all() {
        return groups;
    }

    static ObjectNode command() {
        return DaemonClient.JSON.createObjectNode().put("type", "command");
    }

    /** A command line for harnesses that run hooks in a shell. */
    static String line(HarnessPaths paths, String harness, String event) {
        String launcher = paths.launcher().toString();
        boolean plain = launcher.matches("[A-Za-z0-9_./+@%:,-]+");
        return "%s hook %s %s".formatted(plain ? launcher : "'" + launcher.replace("'", "'\\''") + "'", harness, event);
    }
}
