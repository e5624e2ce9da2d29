package dev.roost.cli.demo;

import dev.roost.chaos.BoundedWait;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.DaemonLauncher;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import dev.roost.cli.view.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** The plot of {@code roost demo}: each point is checked, not merely told. */
final class DemoScript implements AutoCloseable {

    private static final String PARENT = "demo:parent-session";
    private static final String DOOMED = "refactor";
    private static final String FAILING = "review";
    private static final String QUICK = "lint";

    /** Name and length of each scripted agent's work, in seconds. */
    private static final Map<String, Integer> AGENTS = agents();

    private final DaemonClient client;
    private final Map<String, String> ids = new LinkedHashMap<>();
    private final Set<Long> everSeen = new LinkedHashSet<>();
    private boolean kept = true;

    DemoScript(Path home) {
        var settings = Map.of(
                "ROOST_MAX_LIVE_PER_OWNER",
                "6", // and none of yours: it would join your cluster
                "XDG_CONFIG_HOME",
                home.resolve("config").toString());
        this.client = DaemonClient.of(home, PARENT, settings);
    }

    private static Map<String, Integer> agents() {
        var agents = new LinkedHashMap<String, Integer>();
        agents.put(QUICK, 4);
        agents.put("docs", 8);
        agents.put("tests", 9);
        agents.put("bench", 10);
        agents.put(FAILING, 9);
        agents.put(DOOMED, 60);
        return agents;
    }

    boolean tell() {
        heading("A parent session starts six agents in the background");
        AGENTS.forEach(this::start);
        await(() -> live().stream().allMatch(run -> run.has("pid")));
        live().forEach(run -> remember(run.path("pid").asLong()));
        check("six agents run, each on its own perch", live().size() == 6);
        table();

        heading("The daemon is killed with -9 in the middle of the night");
        long daemon = client.call("status", ClientCommand.params()).path("pid").asLong();
        long quick = pid(QUICK);
        var doomed = tree(pid(DOOMED));
        kill(daemon);
        check("the daemon is gone", !alive(daemon));
        check("all six agents work on without it", everSeen.stream().allMatch(DemoScript::alive));

        heading("One agent's whole tree is killed with -9, perch and all");
        doomed.forEach(DemoScript::kill);
        check(
                "nothing of %s is left to report its death".formatted(DOOMED),
                doomed.stream().noneMatch(DemoScript::alive));
        await(() -> !alive(quick));
        check("meanwhile %s finished, with no daemon to see it".formatted(QUICK), !alive(quick));

        heading("Morning: the daemon starts again");
        long next = client.call("status", ClientCommand.params()).path("pid").asLong();
        check("a new daemon serves the same home", next != daemon);
        check(
                "%s is not running, whatever the ledger said last night".formatted(DOOMED),
                status(DOOMED).equals("abandoned"));
        check("%s is completed".formatted(QUICK), status(QUICK).equals("completed"));
        check("the other four are re-attached and running", live().size() == 4);
        table();
        await(() -> live().isEmpty());

        heading("What the parent is told at its next turn");
        var inbox = client.call("inbox", ClientCommand.params());
        inbox.path("digest").asString().lines().forEach(line -> System.out.println("  │ " + Style.safe(line)));
        check("exactly one notice for each end", oneNoticeEach(inbox));

        heading("The ends");
        for (var name : List.of(QUICK, "docs", "tests", "bench")) {
            check("%s completed, its output whole".formatted(name), status(name).equals("completed") && whole(name));
        }
        check(
                "%s failed, and is not called done".formatted(FAILING),
                status(FAILING).equals("failed"));
        check(
                "%s died, and has its certificate:".formatted(DOOMED),
                show(DOOMED).has("evidence"));
        certificate(show(DOOMED));

        heading("What is left behind");
        check("no process of any of them", everSeen.stream().noneMatch(DemoScript::alive));
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

    private JsonNode show(String name) {
        return client.call("show", ClientCommand.params().put("run_id", name));
    }

    private String status(String name) {
        return show(name).path("status").asString();
    }

    private long pid(String name) {
        return show(name).path("pid").asLong();
    }

    private List<JsonNode> live() {
        var runs = new ArrayList<JsonNode>();
        for (var run : client.call("list", ClientCommand.params()).path("runs"))
            if (!run.has("ended_at")) runs.add(run);
        return runs;
    }

    private boolean whole(String name) {
        String result = client.call("output", ClientCommand.params().put("run_id", name))
                .path("result")
                .asString("");
        return result.lines().count() == AGENTS.getOrDefault(name, 0) + 1 && result.endsWith(name + ": done\n");
    }

    private boolean oneNoticeEach(JsonNode inbox) {
        var told = new ArrayList<String>();
        inbox.path("notices").forEach(notice -> told.add(notice.path("run_id").asString()));
        return told.size() == ids.size() && told.containsAll(ids.values());
    }

    /** The agent, its perch, and all that descends from them. */
    private List<Long> tree(long agent) {
        var tree = new ArrayList<Long>();
        process(agent).flatMap(ProcessHandle::parent).ifPresent(perch -> tree.add(perch.pid()));
        tree.add(agent);
        process(agent).ifPresent(handle -> handle.descendants().forEach(child -> tree.add(child.pid())));
        return tree;
    }

    private void remember(long agent) {
        everSeen.addAll(tree(agent).subList(0, 2));
    }

    private static Optional<ProcessHandle> process(long pid) {
        return ProcessHandle.of(pid);
    }

    private static boolean alive(long pid) {
        return process(pid).filter(DaemonLauncher::isThere).isPresent();
    }

    private static void kill(long pid) {
        process(pid).ifPresent(ProcessHandle::destroyForcibly);
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
            String status = run.path("status").asString();
            rows.add(List.of(
                    "    " + Style.dim(id),
                    name,
                    Style.status(status, RunSummary.mark(status) + " " + RunSummary.state(run)),
                    lastWord(run)));
        });
        TextTable.print(rows);
    }

    private static String lastWord(JsonNode run) {
        return run.has("pid") ? Style.dim("pid " + run.get("pid").asString()) : Style.dim(RunSummary.took(run));
    }

    private static void certificate(JsonNode run) {
        var evidence = run.path("evidence");
        row("status", RunSummary.state(run));
        row(
                "pid",
                evidence.path("pid").asString("unknown") + " of boot "
                        + evidence.path("boot_id").asString("unknown"));
        row("last sign of life", evidence.path("last_sign_of_life").asString("unknown"));
        row("what happened", evidence.path("note").asString(""));
    }

    private static void row(String label, String value) {
        System.out.println("      " + Style.dim(Style.pad(label, 19)) + value);
    }

    @Override
    public void close() {
        for (var run : live())
            client.call(
                    "stop",
                    ClientCommand.params().put("run_id", run.path("run_id").asString()));
        client.callIfRunning("shutdown", ClientCommand.params())
                .flatMap(answer -> process(answer.path("pid").asLong()))
                .ifPresent(DaemonLauncher::awaitEnd);
        client.close();
    }
}
