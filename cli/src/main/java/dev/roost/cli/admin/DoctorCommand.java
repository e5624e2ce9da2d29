package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.demo.ChaosCommand;
import dev.roost.cli.install.Harness;
import dev.roost.cli.install.HarnessCheck;
import dev.roost.cli.install.HarnessPaths;
import dev.roost.cli.view.TextTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "doctor",
        description = "Check the home, the machine and the harnesses; report problems and their fixes.",
        footer = {"", "Exits with 1 if a finding is bad; warnings do not count."})
public final class DoctorCommand extends ClientCommand {

    @Option(
            names = "--fix",
            description = "kill processes of ended runs, and rewrite outdated Roost entries of harnesses")
    private boolean fix;

    @Option(
            names = "--chaos",
            description =
                    "try to break Roost in a temporary home, with kills, a full disk and more; your own is not touched")
    private boolean chaos;

    @Option(names = "--minutes", paramLabel = "N", description = "duration (default: 1)")
    private @Nullable String minutes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "seed of an earlier test, to repeat its faults in their order")
    private @Nullable Long seed;

    /** The scene that the restarted program plays. */
    @Option(names = "--scene", hidden = true)
    private @Nullable Path scene;

    @Override
    public int call(DaemonClient client) {
        if (chaos) return ChaosCommand.of(minutes, seed, json, scene);
        if (minutes != null || seed != null || scene != null)
            throw CliErrorCode.USAGE.error("--minutes and --seed need --chaos.", "Add --chaos.");
        var answer = findings(client);
        ((ArrayNode) answer.path("findings")).addAll(harnesses());
        boolean bad = false;
        var rows = new ArrayList<List<String>>();
        for (var finding : answer.path("findings")) {
            String level = finding.path("level").asString();
            bad |= level.equals("bad");
            rows.add(List.of(
                    mark(level),
                    finding.path("what").asString(),
                    Style.safe(finding.path("message").asString())));
            if (finding.has("fix"))
                rows.add(List.of(
                        "", "", Style.bold("→ " + Style.safe(finding.get("fix").asString()))));
        }
        if (json) printJson(answer);
        else TextTable.print(rows);
        return bad ? CliError.FAILED : 0;
    }

    /** The daemon's findings; if it cannot start, those that need no daemon. */
    private JsonNode findings(DaemonClient client) {
        try {
            return client.call("doctor", params().put("fix", fix));
        } catch (CliError e) {
            if (e.exit() != CliError.NO_DAEMON) throw e;
            var answer = params();
            answer.putArray("findings")
                    .add(HarnessCheck.finding("daemon", "bad", String.valueOf(e.getMessage()), e.hint()))
                    .add(disk(invocation.home()));
            return answer;
        }
    }

    private static ObjectNode disk(Path home) {
        var existing = home;
        while (existing.getParent() != null && !Files.isDirectory(existing)) existing = existing.getParent();
        long free = existing.toFile().getUsableSpace();
        var message = String.format(Locale.ROOT, "%.1f GiB free", free / (double) (1L << 30));
        if (free >= 1L << 30) return HarnessCheck.finding("disk", "good", message, "");
        return HarnessCheck.finding("disk", free < 100L << 20 ? "bad" : "warning", message, "Free some space.");
    }

    /** Checks the harnesses in parallel: each check starts slow programs. */
    private List<ObjectNode> harnesses() {
        var paths = HarnessPaths.of(invocation);
        var checks = Harness.NAMES.stream()
                .<Callable<ObjectNode>>map(name -> () -> HarnessCheck.finding(name, paths, fix))
                .toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return threads.invokeAll(checks).stream().map(Future::resultNow).toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private static String mark(String level) {
        return switch (level) {
            case "good" -> Style.green("✓");
            case "info" -> Style.dim("·");
            case "warning" -> Style.yellow("!");
            default -> Style.red("✗");
        };
    }
}
