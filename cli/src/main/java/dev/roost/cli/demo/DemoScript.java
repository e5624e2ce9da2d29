package dev.roost.cli.demo;

import dev.roost.chaos.BoundedWait;
import dev.roost.cli.client.CallerIdentity;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.DaemonLauncher;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import dev.roost.cli.view.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** The steps of {@code roost demo}; checks each point that it prints. */
final class DemoScript implements AutoCloseable {

    private static final String PARENT = "demo:parent-session";
    private static final String LOST = "refactor";
    private static final String FAILING = "review";
    private static final String QUICK = "lint";

    /** Name and length of each scripted agent's work, in seconds. */
    private static final Map<String, Integer> AGENTS = new LinkedHashMap<>();

    static {
        AGENTS.put(QUICK, 4);
        AGENTS.put("docs", 8);
        AGENTS.put("tests", 9);
        AGENTS.put("bench", 10);
        AGENTS.put(FAILING, 9);
        AGENTS.put(LOST, 60);
    }

    private final DaemonClient client;
    private final Map<String, String> ids = new LinkedHashMap<>();
    private final Set<Long> everSeen = new LinkedHashSet<>();
    private boolean kept = true;

    DemoScript(Path home) {
        var settings = Map.of(
                "ROOST_MAX_LIVE_PER_OWNER",
                "6", // not the user's config, or the demo would join their cluster
                "XDG_CONFIG_HOME",
                home.resolve("config").toString());
        this.client = DaemonClient.of(home, new CallerIdentity(PARENT, false), settings);
    }

    boolean run() {
        heading("A parent session starts six agents in the background");
        AGENTS.forEach(this::start);
        await(() -> live().stream().allMatch(run -> run.has("pid")));
        live().forEach(run -> everSeen.addAll(tree(pid(run)).subList(0, 2)));
        check("six agents run, each on its own perch", live().size() == 6);
        table();

        heading("The daemon is killed with -9 in the middle of the night");
        long daemon = client.call("status", ClientCommand.params()).path("pid").asLong();
        long quick = pid(show(QUICK));
        var lostTree = tree(pid(show(LOST)));
        kill(daemon);
        check("the daemon is gone", !alive(daemon));
        check("all six agents work on without it", everSeen.stream().allMatch(DemoScript::alive));

        heading("One agent's process tree is killed with -9, perch included");
        lostTree.forEach(DemoScript::kill);
        check(
                "no process of %s is left to report its death".formatted(LOST),
                lostTree.stream().noneMatch(DemoScript::alive));
        await(() -> !alive(quick));
        check("%s finished while no daemon ran".formatted(QUICK), !alive(quick));

        heading("Morning: the daemon starts again");
        long next = client.call("status", ClientCommand.params()).path("pid").asLong();
        check("a new daemon serves the same home", next != daemon);
        check(
                "%s is not shown as running any more".formatted(LOST),
                status(LOST).equals("abandoned"));
        check("%s is completed".formatted(QUICK), status(QUICK).equals("completed"));
        check("the daemon reattached to the other four", live().size() == 4);
        table();
        await(() -> live().isEmpty());

        heading("The parent's notices at its next turn");
        var inbox = client.call("inbox", ClientCommand.params());
        inbox.path("digest").asString().lines().forEach(line -> System.out.println("  │ " + Style.safe(line)));
        check("exactly one notice for each end", oneNoticeEach(inbox));

        heading("The ends");
        for (var name : List.of(QUICK, "docs", "tests", "bench")) {
            check(
                    "%s completed, its output is complete".formatted(name),
                    status(name).equals("completed") && isOutputComplete(name));
        }
        check(
                "%s failed, and is shown as failed".formatted(FAILING),
                status(FAILING).equals("failed"));
        check(
                "%s was lost, and its evidence is recorded:".formatted(LOST),
                show(LOST).has("evidence"));
        evidence(show(LOST));

        heading("Leftovers");
        check("no process of any agent is left", everSeen.stream().noneMatch(DemoScript::alive));
        System.out.println();
        System.out.println(kept ? Style.green("Every promise was kept.") : Style.red("A promise was broken."));
        return kept;
    }

    private void start(String name, int seconds) {
        var params = ClientCommand.params().put("name", name).put("cwd", "/");
        params.putObject("env").put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        String script = "i=0; while [ $i -lt %d ]; do i=$((i+1)); echo \"%s: step $i of %d\"; sleep 1; done; %s"
                .formatted(
                        seconds,
                        name,
                        seconds,
                        name.equals(FAILING)
                                ? "echo 'cannot read the diff' >&2; exit 3"
                                : "echo '%s: done'".formatted(name));
        params.putArray("argv").add("sh").add("-c").add(script);
        ids.put(name, client.callOnce("start", params).path("run_id").asString());
    }

    private RunEntry show(String name) {
        return RunEntry.of(client.call("show", ClientCommand.params().put("run_id", name)));
    }

    private String status(String name) {
        return show(name).status();
    }

    private static long pid(RunEntry run) {
        return run.json().path("pid").asLong();
    }

    private List<RunEntry> live() {
        return RunEntry.all(client.call("list", ClientCommand.params())).stream()
                .filter(run -> !run.ended())
                .toList();
    }

    private boolean isOutputComplete(String name) {
        var output = client.call("output", ClientCommand.params().put("run_id", name));
        var result = output.path("result").asString("");
        return result.lines().count() == AGENTS.getOrDefault(name, 0) + 1 && result.endsWith(name + ": done\n");
    }

    private boolean oneNoticeEach(JsonNode inbox) {
        var notified = inbox.path("notices")
                .valueStream()
                .map(notice -> notice.path("run_id").asString())
                .toList();
        return notified.size() == ids.size() && notified.containsAll(ids.values());
    }

    /** The agent, its perch, and their descendants. */
    private List<Long> tree(long agent) {
        var tree = new ArrayList<Long>();
        ProcessHandle.of(agent).flatMap(ProcessHandle::parent).ifPresent(perch -> tree.add(perch.pid()));
        tree.add(agent);
        ProcessHandle.of(agent).ifPresent(handle -> handle.descendants().forEach(child -> tree.add(child.pid())));
        return tree;
    }

    private static boolean alive(long pid) {
        return ProcessHandle.of(pid).filter(DaemonLauncher::isThere).isPresent();
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        BoundedWait.awaitCondition(() -> !alive(pid), 10_000);
    }

    private static void await(BooleanSupplier condition) {
        BoundedWait.awaitCondition(condition, 30_000);
    }

    private static void heading(String text) {
        System.out.println();
        System.out.println(Style.bold(text));
    }

    private void check(String what, boolean holds) {
        kept &= holds;
        System.out.println("  " + (holds ? Style.green("✓ ") : Style.red("✗ ")) + what);
    }

    private void table() {
        var rows = new ArrayList<List<String>>();
        ids.forEach((name, id) -> {
            var run = show(name);
            var detail = run.has("pid") ? "pid " + run.text("pid") : run.took();
            rows.add(List.of("    " + Style.dim(id), name, run.marked(run.state()), Style.dim(detail)));
        });
        TextTable.print(rows);
    }

    private static void evidence(RunEntry run) {
        var evidence = run.json().path("evidence");
        var boot = evidence.path("boot_id").asString("unknown");
        row("status", run.state());
        row("pid", evidence.path("pid").asString("unknown") + " of boot " + boot);
        row("last sign of life", evidence.path("last_sign_of_life").asString("unknown"));
        row("what happened", evidence.path("note").asString(""));
    }

    private static void row(String label, String value) {
        System.out.println("      " + Style.dim(Style.pad(label, 19)) + value);
    }

    @Override
    public void close() {
        for (var run : live()) client.call("stop", ClientCommand.params().put("run_id", run.id()));
        client.shutdown();
    }
}
