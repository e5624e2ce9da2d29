package dev.roost.daemon.socket;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.rescue.LostAgent;
import dev.roost.rescue.RescueScan;
import dev.roost.rescue.StrayWorktree;
import dev.roost.rescue.ToolDirectories;
import dev.roost.service.RoostService;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds and imports what other tools lost. Only a person may do that, because it belongs to other sessions. */
record RescueMethods(RoostService service, RunJson json) {

    private static final Duration A_WEEK = Duration.ofDays(7);

    private static final int MOST_TEXT = 4_000;

    ApiReply rescue(@Nullable JsonNode params) {
        var requestFields = PersonMethods.fields(
                service,
                params,
                "look for what other sessions lost",
                "rescue",
                "env",
                "home",
                "repositories",
                "since",
                "apply",
                "ids");
        var environment = requestFields.map("env");
        var found = service.rescueImporter()
                .search(
                        requestFields.text("home").isPresent()
                                ? ToolDirectories.in(absolute(requestFields.path("home")))
                                : ToolDirectories.of(environment),
                        repositories(requestFields),
                        requestFields.duration("since").orElse(A_WEEK));
        var ids = requestFields.texts("ids");
        var chosen = ids.isEmpty() ? found.lost() : chosen(ids, found);
        var runs = new LinkedHashMap<LostAgent, RunRecord>();
        if (requestFields.flag("apply")) {
            for (var agent : chosen)
                if (agent.state() != LostAgent.State.AT_WORK)
                    runs.put(agent, service.rescueImporter().importRun(agent, environment));
        }
        var answer = RunJson.MAPPER.createObjectNode();
        var list = answer.putArray("found");
        found.lost().forEach(agent -> list.add(lost(agent, found)));
        var worktrees = answer.putArray("worktrees");
        boolean all = requestFields.flag("apply") && ids.isEmpty();
        for (var strayWorktree : found.strays()) {
            var one = stray(strayWorktree);
            if (strayWorktree.dirty()
                    && (all
                            || (requestFields.flag("apply")
                                    && ids.contains(strayWorktree.path().toString()))))
                checkpoint(strayWorktree, runs, one);
            worktrees.add(one);
        }
        found.problems().forEach(answer.putArray("problems")::add);
        if (requestFields.flag("apply"))
            answer.set("runs", json.runs(List.copyOf(runs.values())).path("runs"));
        return new ApiReply(answer);
    }

    private static List<Path> repositories(RequestFields requestFields) {
        var paths = new ArrayList<Path>();
        for (var text : requestFields.texts("repositories")) {
            try {
                paths.add(absolute(Path.of(text)));
            } catch (InvalidPathException e) {
                throw noDirectory(text);
            }
        }
        return paths;
    }

    private static Path absolute(Path path) {
        if (path.isAbsolute()) return path;
        throw noDirectory(path.toString());
    }

    private static RoostError noDirectory(String text) {
        return ErrorCode.NO_SUCH_DIRECTORY.error(
                "\"%s\" is not an absolute path.".formatted(TextFormat.printable(text)), "Pass one.");
    }

    /** The agents with these ids or prefixes; each must match exactly one. Paths of worktrees among the ids are skipped. */
    private static List<LostAgent> chosen(List<String> ids, RescueScan.ScanResult found) {
        var chosen = new ArrayList<LostAgent>();
        for (var id : ids) {
            if (found.strays().stream()
                    .anyMatch(strayWorktree -> strayWorktree.path().toString().equals(id))) continue;
            var exact =
                    found.lost().stream().filter(agent -> agent.id().equals(id)).toList();
            var matches = exact.isEmpty()
                    ? found.lost().stream()
                            .filter(agent -> agent.id().startsWith(id))
                            .toList()
                    : exact;
            if (matches.size() != 1) {
                throw (matches.isEmpty() ? ErrorCode.NOTHING_LOST : ErrorCode.AMBIGUOUS_ID)
                        .error(
                                matches.isEmpty()
                                        ? "There is no lost agent \"%s\".".formatted(TextFormat.printable(id))
                                        : "\"%s\" is the beginning of %d ids."
                                                .formatted(TextFormat.printable(id), matches.size()));
            }
            var agent = matches.getFirst();
            if (agent.state() == LostAgent.State.AT_WORK) {
                throw ErrorCode.STILL_AT_WORK.error("%s is still at work: %s.".formatted(agent.id(), agent.why()));
            }
            chosen.add(agent);
        }
        return chosen;
    }

    private ObjectNode lost(LostAgent agent, RescueScan.ScanResult found) {
        var one = RunJson.MAPPER
                .createObjectNode()
                .put("id", agent.id())
                .put("tool", word(agent.tool()))
                .put("kind", word(agent.kind()))
                .put("state", word(agent.state()))
                .put("owner", word(agent.tool()) + ":" + agent.owner())
                .put("title", agent.title())
                .put("began_at", agent.began().toString())
                .put("last_sign_of_life", agent.lastSign().toString())
                .put("why", agent.why())
                .put("source", agent.source().toString());
        agent.session().ifPresent(session -> one.put("session_id", session));
        agent.cwd()
                .ifPresent(cwd -> one.put("cwd", cwd.toString())
                        .put("uncommitted", found.uncommitted().getOrDefault(cwd, 0)));
        if (!agent.text().isBlank()) one.put("text", cut(agent.text()));
        agent.doing().ifPresent(doing -> one.put("doing", doing));
        service.rescueImporter()
                .known(agent)
                .ifPresent(run -> one.put("run_id", run.id().text()));
        return one;
    }

    /** Shortens the text; the imported run has all of it. */
    private static String cut(String text) {
        return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "…";
    }

    private static String word(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode stray(StrayWorktree strayWorktree) {
        var one = RunJson.MAPPER
                .createObjectNode()
                .put("path", strayWorktree.path().toString())
                .put("repository", strayWorktree.repository().toString())
                .put("head", strayWorktree.head())
                .put("subject", strayWorktree.subject());
        strayWorktree.branch().ifPresent(branch -> one.put("branch", branch));
        strayWorktree.committed().ifPresent(at -> one.put("committed_at", at.toString()));
        strayWorktree.changed().forEach(one.putArray("changed")::add);
        strayWorktree.untracked().forEach(one.putArray("untracked")::add);
        strayWorktree.halfway().ifPresent(what -> one.put("halfway", what));
        return one;
    }

    /** Makes a checkpoint of the worktree: under the run that worked there, else under an id of its own. */
    private void checkpoint(StrayWorktree strayWorktree, Map<LostAgent, RunRecord> runs, ObjectNode one) {
        Optional<RunId> run = runs.entrySet().stream()
                .filter(entry -> entry.getKey()
                        .cwd()
                        .filter(cwd -> cwd.startsWith(strayWorktree.path()))
                        .isPresent())
                .map(entry -> entry.getValue().id())
                .findFirst();
        try {
            one.put("ref", service.rescueImporter().checkpointStray(strayWorktree.path(), run));
        } catch (RoostError e) {
            one.put("left", "its work was not changed: " + e.sentence());
        }
    }
}
