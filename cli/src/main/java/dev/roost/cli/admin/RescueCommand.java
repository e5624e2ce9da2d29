package dev.roost.cli.admin;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

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
        if (json) {
            printJson(answer);
            return 0;
        }
        answer.path("found").forEach(RescueCommand::print);
        answer.path("worktrees").forEach(RescueCommand::printWorktree);
        for (var problem : answer.path("problems"))
            System.out.println(Style.yellow("! ") + Style.safe(problem.asString()));
        System.out.println(inOneLine(answer));
        return 0;
    }

    private tools.jackson.databind.node.ObjectNode request() {
        var params = params().put("apply", apply != null);
        var variables = params.putObject("env");
        CallerEnvironment.of(invocation.environment()).forEach(variables::put);
        if (since != null) params.put("since", since);
        if (home != null)
            params.put("home", invocation.absolute(home).normalize().toString());
        var list = params.putArray("repositories");
        var all = repositories.isEmpty() ? Stream.of(Path.of("")) : repositories.stream();
        all.forEach(path -> list.add(invocation.absolute(path).normalize().toString()));
        var ids = params.putArray("ids");
        if (apply != null) apply.stream().filter(id -> !id.isEmpty()).forEach(ids::add);
        return params;
    }

    private static void print(JsonNode one) {
        System.out.println("%s  %s %s  %s"
                .formatted(
                        state(one),
                        one.path("tool").asString(),
                        one.path("kind").asString(),
                        Style.bold(Style.safe(one.path("title").asString()))));
        line(one.path("id").asString()
                + Style.dim("  of " + Style.safe(one.path("owner").asString())));
        line("last sign of life %s ago; %s"
                .formatted(
                        ago(one.path("last_sign_of_life").asString()),
                        Style.safe(one.path("why").asString())));
        if (one.has("doing"))
            line("in the middle of " + Style.safe(one.get("doing").asString()));
        if (one.has("text"))
            one.get("text")
                    .asString()
                    .strip()
                    .lines()
                    .limit(MAX_LINES)
                    .forEach(text -> line("“%s”".formatted(Style.fit(Style.safe(text), 100))));
        if (one.has("cwd"))
            line(Style.safe(one.get("cwd").asString())
                    + (one.path("uncommitted").asInt() > 0
                            ? Style.yellow("  "
                                    + RunSummary.some(one.get("uncommitted").asInt(), "file") + " uncommitted")
                            : ""));
        if (one.has("run_id"))
            line(Style.green("imported: roost output " + one.get("run_id").asString()));
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
        System.out.println("%s  %s"
                .formatted(
                        Style.yellow("⎇ stray worktree"),
                        Style.bold(Style.safe(one.path("path").asString()))));
        line("%s, %s %s%s"
                .formatted(
                        Style.safe(one.path("branch").asString("no branch")),
                        one.path("head")
                                .asString()
                                .substring(
                                        0,
                                        Math.min(10, one.path("head").asString().length())),
                        Style.safe(one.path("subject").asString()),
                        one.has("committed_at")
                                ? ", " + ago(one.get("committed_at").asString()) + " ago"
                                : ""));
        int changed = one.path("changed").size();
        int untracked = one.path("untracked").size();
        line((changed + untracked == 0
                        ? "clean"
                        : Style.yellow("%d changed, %d untracked".formatted(changed, untracked)))
                + (one.has("halfway")
                        ? Style.red(", in the middle of a " + one.get("halfway").asString())
                        : ""));
        if (one.has("ref")) line(Style.green("kept as " + one.get("ref").asString()));
        if (one.has("left")) line(one.get("left").asString());
        System.out.println();
    }

    private static void line(String text) {
        System.out.println("    " + text);
    }

    private static String ago(String at) {
        return RunSummary.span(Duration.between(Instant.parse(at), Instant.now()));
    }

    private String inOneLine(JsonNode answer) {
        long lost = answer.path("found")
                .valueStream()
                .filter(one -> !one.path("state").asString().equals("at_work"))
                .count();
        long waiting = answer.path("found")
                .valueStream()
                .filter(one -> !one.path("state").asString().equals("at_work") && !one.has("run_id"))
                .count();
        if (apply != null)
            return "Imported %s and %s."
                    .formatted(
                            RunSummary.some(answer.path("runs").size(), "run"),
                            RunSummary.some(answer.path("worktrees").size(), "stray worktree"));
        if (lost + answer.path("worktrees").size() == 0) return "Nothing was lost.";
        return "%d lost, %s.%s"
                .formatted(
                        lost,
                        RunSummary.some(answer.path("worktrees").size(), "stray worktree"),
                        waiting > 0 ? " `roost rescue --apply` imports them." : "");
    }
}
