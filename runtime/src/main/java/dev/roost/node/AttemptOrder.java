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
 * What an attempt is to do, told so that any node can make its own files of it. {@code from} is the node it was asked for
 * on; {@code cwd} the directory it was asked for in, and {@code source} the repository that this is in; {@code tags} what
 * the operator calls the machines that may do it; {@code only} the node that alone has what it needs.
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

    /** Whether an operator may call machines that. */
    public static boolean isTag(String word) {
        return TAG.matcher(word).matches();
    }

    /**
     * A place in a repository that other nodes have clones of.
     *
     * @param key by which clones of it know each other
     * @param inside where in a checkout of it; empty at the top
     * @param base the commit that it was at
     * @param branch the branch that it was on
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

        /** What it needs of its commits travels with the run's work. */
        private RepositorySource carried() {
            return new RepositorySource(key, inside, base, branch, true);
        }
    }

    /** The same with other words, in a conversation that there may be already; on this node only, if one is named. */
    public AttemptOrder next(Task words, Optional<String> conversation, Optional<String> node) {
        return new AttemptOrder(
                agent,
                words,
                cwd,
                environment,
                umask,
                conversation,
                worktree,
                from,
                tags,
                source.map(RepositorySource::carried),
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
