package dev.roost.cli.admin;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "rescue",
        description = {
            "Find work that other tools lost, and import it.",
            "Agents and background commands of Claude Code whose session got no notice of their",
            "end, child sessions of OpenCode, threads of Codex and chats of Gemini CLI that",
            "stop in the middle, worktrees that no process uses. Only reads their files. With",
            "--apply, imports them as runs with readable results."
        },
        footer = {"", "Only a person may do that. Never imports work whose process is alive."})
public final class RescueCommand extends ClientCommand {

    private static final int MAX_LINES = 3;

    @Parameters(
            paramLabel = "REPO",
            arity = "0..*",
            description = "repositories whose worktrees are searched too (default: that of this directory)")
    private List<Path> repositories = new ArrayList<>();

    @Option(names = "--since", paramLabel = "TIME", description = "how far back to look (default: 7d)")
    private @Nullable String since;

    @Option(names = "--home", paramLabel = "DIR", description = "search this user's home directory instead of yours")
    private @Nullable Path home;

    @Option(
            names = "--apply",
            arity = "0..*",
            paramLabel = "ID",
            fallbackValue = "",
            description = "import everything, or only these ids")
    private @Nullable List<String> apply;

    @Override
    public int call(DaemonClient client) {
        var answer = client.call("rescue", InteractiveUser.origin(invocation, request()));
        return print(answer, this::printAll);
    }

    private void printAll(JsonNode answer) {
        answer.path("found").forEach(RescueCommand::print);
        answer.path("worktrees").forEach(RescueCommand::printWorktree);
        for (var problem : answer.path("problems"))
            System.out.println(Style.yellow("! ") + Style.safe(problem.asString()));
        System.out.println(inOneLine(answer));
    }

    private ObjectNode request() {
        var params = params().put("apply", apply != null);
        var variables = params.putObject("env");
        CallerEnvironment.of(invocation.environment()).forEach(variables::put);
        if (since != null) params.put("since", since);
        if (home != null) params.put("home", invocation.normalized(home));
        var list = params.putArray("repositories");
        var all = repositories.isEmpty() ? Stream.of(Path.of("")) : repositories.stream();
        all.forEach(path -> list.add(invocation.normalized(path)));
        var ids = params.putArray("ids");
        if (apply != null) apply.stream().filter(id -> !id.isEmpty()).forEach(ids::add);
        return params;
    }

    private static void print(JsonNode one) {
        System.out.println(state(one) + filled(one, "  %s %s  ", "tool", "kind") + Style.bold(text(one, "title")));
        line(text(one, "id") + Style.dim("  of " + text(one, "owner")));
        line("last sign of life %s ago; %s".formatted(Amount.since(text(one, "last_sign_of_life")), text(one, "why")));
        if (one.has("doing")) line("in the middle of " + text(one, "doing"));
        one.path("text")
                .asString("")
                .strip()
                .lines()
                .limit(MAX_LINES)
                .forEach(text -> line("“%s”".formatted(Style.fit(Style.safe(text), 100))));
        int uncommitted = one.path("uncommitted").asInt(0);
        if (one.has("cwd"))
            line(text(one, "cwd")
                    + (uncommitted > 0 ? Style.yellow("  " + Amount.some(uncommitted, "file") + " uncommitted") : ""));
        if (one.has("run_id")) line(Style.green("imported: roost output " + text(one, "run_id")));
        System.out.println();
    }

    private static String state(JsonNode one) {
        return switch (one.path("state").asString()) {
            case "finished" -> Style.green("✓ finished, no notice");
            case "at_work" -> Style.blue("▸ still at work");
            default -> Style.red("✗ cut in the middle");
        };
    }

    private static void printWorktree(JsonNode one) {
        System.out.println(Style.yellow("⎇ stray worktree") + "  " + Style.bold(text(one, "path")));
        var head = text(one, "head");
        line("%s, %s %s%s"
                .formatted(
                        one.has("branch") ? text(one, "branch") : "no branch",
                        head.substring(0, Math.min(10, head.length())),
                        text(one, "subject"),
                        one.has("committed_at") ? ", " + Amount.since(text(one, "committed_at")) + " ago" : ""));
        int changed = one.path("changed").size();
        int untracked = one.path("untracked").size();
        var state = Style.yellow("%d changed, %d untracked".formatted(changed, untracked));
        line((changed + untracked == 0 ? "clean" : state)
                + (one.has("halfway") ? Style.red(", in the middle of a " + text(one, "halfway")) : ""));
        if (one.has("ref")) line(Style.green("kept as " + text(one, "ref")));
        if (one.has("left")) line(text(one, "left"));
        System.out.println();
    }

    private static String text(JsonNode one, String field) {
        return Style.safe(one.path(field).asString(""));
    }

    private static void line(String text) {
        System.out.println("    " + text);
    }

    private String inOneLine(JsonNode answer) {
        var lost = answer.path("found")
                .valueStream()
                .filter(one -> !one.path("state").asString().equals("at_work"))
                .toList();
        boolean waiting = lost.stream().anyMatch(one -> !one.has("run_id"));
        var strays = Amount.some(answer.path("worktrees").size(), "stray worktree");
        if (apply != null)
            return "Imported %s and %s."
                    .formatted(Amount.some(answer.path("runs").size(), "run"), strays);
        if (lost.isEmpty() && answer.path("worktrees").isEmpty()) return "Nothing was lost.";
        return "%d lost, %s.%s".formatted(lost.size(), strays, waiting ? " `roost rescue --apply` imports them." : "");
    }
}
