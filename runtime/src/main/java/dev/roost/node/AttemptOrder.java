package dev.roost.node;

import dev.roost.agents.Task;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The description of an attempt from which any node can prepare it. {@code from} is the node that accepted the run, {@code
 * cwd} the directory there, and {@code source} the repository of that directory. {@code tags} are the labels that a node must
 * have. {@code only} is the one node that has the files the attempt needs.
 */
public record AttemptOrder(
        String agent,
        Task task,
        Path cwd,
        Map<String, String> environment,
        String umask,
        Optional<String> session,
        boolean worktree,
        String from,
        Set<String> tags,
        Optional<RepositorySource> source,
        Optional<String> only) {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    /** Whether a node label may have this form. */
    public static boolean isTag(String word) {
        return TAG.matcher(word).matches();
    }

    /**
     * A directory in a repository of which other nodes may have clones.
     *
     * @param key identifies the repository in all its clones
     * @param inside the path below the top of a checkout; empty for the top
     * @param base the commit that was checked out
     * @param branch the branch that was checked out
     * @param shared whether other clones can have that commit
     */
    public record RepositorySource(String key, String inside, String base, Optional<String> branch, boolean shared) {

        private ObjectNode json() {
            var json = JSON.createObjectNode()
                    .put("key", key)
                    .put("inside", inside)
                    .put("base", base)
                    .put("shared", shared);
            branch.ifPresent(name -> json.put("branch", name));
            return json;
        }

        private static RepositorySource read(JsonNode json) {
            return new RepositorySource(
                    json.required("key").asString(),
                    json.required("inside").asString(),
                    json.required("base").asString(),
                    json.path("branch").asStringOpt(),
                    json.required("shared").asBoolean());
        }

        /** For a later attempt: the run's transfer bundle contains the commits that the other node lacks. */
        private RepositorySource asShared() {
            return new RepositorySource(key, inside, base, branch, true);
        }
    }

    /** The order of the next attempt, with another task and conversation; if {@code node} is present, for that node only. */
    public AttemptOrder next(Task nextTask, Optional<String> conversation, Optional<String> node) {
        return new AttemptOrder(
                agent,
                nextTask,
                cwd,
                environment,
                umask,
                conversation,
                worktree,
                from,
                tags,
                source.map(RepositorySource::asShared),
                node);
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
        source.ifPresent(one -> json.set("source", one.json()));
        only.ifPresent(node -> json.put("only", node));
        return JSON.writeValueAsString(json);
    }

    public static AttemptOrder read(String text) {
        var json = JSON.readTree(text);
        var argv = new ArrayList<String>();
        json.path("argv").forEach(word -> argv.add(word.asString()));
        var environment = new TreeMap<String, String>();
        json.path("environment").forEachEntry((name, value) -> environment.put(name, value.asString()));
        var tags = new TreeSet<String>();
        json.path("tags").forEach(tag -> tags.add(tag.asString()));
        return new AttemptOrder(
                json.required("agent").asString(),
                new Task(List.copyOf(argv), json.path("prompt").asStringOpt()),
                Path.of(json.required("cwd").asString()),
                environment,
                json.required("umask").asString(),
                json.path("session").asStringOpt(),
                json.required("worktree").asBoolean(),
                json.required("from").asString(),
                tags,
                json.has("source") ? Optional.of(RepositorySource.read(json.path("source"))) : Optional.empty(),
                json.path("only").asStringOpt());
    }
}
