package dev.roost;

import dev.roost.agents.Task;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an attempt is to do, told so that any node can make its own files of it. {@code from} is the node it was asked for
 * on; {@code cwd} the directory it was asked for in; {@code tags} what the operator calls the machines that may do it.
 */
public record Wish(
        String agent,
        Task task,
        Path cwd,
        Map<String, String> environment,
        String umask,
        Optional<String> session,
        boolean worktree,
        String from,
        Set<String> tags) {

    private static final JsonMapper JSON = new JsonMapper();

    /** The same with other words, in a conversation that there may be already. */
    Wish next(Task words, Optional<String> conversation) {
        return new Wish(agent, words, cwd, environment, umask, conversation, worktree, from, tags);
    }

    public String json() {
        var json = JSON.createObjectNode();
        json.put("agent", agent)
                .put("cwd", cwd.toString())
                .put("umask", umask)
                .put("from", from)
                .put("worktree", worktree);
        task.prompt().ifPresent(prompt -> json.put("prompt", prompt));
        if (!task.argv().isEmpty()) task.argv().forEach(json.putArray("argv")::add);
        session.ifPresent(id -> json.put("session", id));
        var variables = json.putObject("environment");
        environment.forEach(variables::put);
        tags.forEach(json.putArray("tags")::add);
        return JSON.writeValueAsString(json);
    }

    public static Wish read(String text) {
        var json = JSON.readTree(text);
        var argv = new ArrayList<String>();
        json.path("argv").forEach(word -> argv.add(word.asString()));
        var environment = new TreeMap<String, String>();
        json.path("environment").forEachEntry((name, value) -> environment.put(name, value.asString()));
        var tags = new TreeSet<String>();
        json.path("tags").forEach(tag -> tags.add(tag.asString()));
        return new Wish(
                json.required("agent").asString(),
                new Task(List.copyOf(argv), json.path("prompt").asStringOpt()),
                Path.of(json.required("cwd").asString()),
                environment,
                json.required("umask").asString(),
                json.path("session").asStringOpt(),
                json.required("worktree").asBoolean(),
                json.required("from").asString(),
                tags);
    }
}
