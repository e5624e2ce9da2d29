package dev.roost.agents.driver;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Capabilities;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Programs;
import dev.roost.agents.Task;
import dev.roost.agents.acp.AcpProtocol;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** All drivers, by name. */
public final class Drivers {

    private static final List<Driver> ALL = List.of(
            new CommandDriver(),
            cli("claude", "@anthropic-ai/claude-code", true, true, ClaudeProtocol::launch, _ -> new ClaudeProtocol()),
            cli("codex", "@openai/codex", false, false, CodexProtocol::launch, CodexProtocol::new),
            cli("opencode", "opencode-ai", false, true, OpenCodeProtocol::launch, OpenCodeProtocol::new),
            cli("gemini", "@google/gemini-cli", false, false, GeminiProtocol::launch, _ -> new GeminiProtocol()),
            // ACP declares no cost, because only some agents report it; a reported cost is still recorded
            new CliDriver(
                    "acp",
                    new Capabilities(true, true, false, true),
                    List.of(),
                    "Name a program that speaks it in config.toml: [agents.x] driver = \"acp\", command = [\"gemini\", \"--acp\"]",
                    AcpProtocol::requireProgram,
                    AcpProtocol::launch,
                    AcpProtocol::new),
            // an agent in Java resumes after its last finished step, and its own code reports its cost
            new CliDriver(
                    "java",
                    new Capabilities(true, false, true, false),
                    List.of(),
                    JavaProtocol.HOW_TO_INSTALL,
                    JavaProtocol::requireClass,
                    JavaProtocol::launch,
                    _ -> new JavaProtocol()));

    private Drivers() {}

    /** Runs a program that prints a stream of JSON. */
    private record CliDriver(
            String name,
            Capabilities abilities,
            List<String> program,
            String howToInstall,
            Consumer<AgentProfile> requirement,
            BiFunction<Driver, AttemptJob, LaunchCommand> launcher,
            Function<AttemptJob, AgentProtocol> protocol)
            implements Driver {

        @Override
        public void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
            requirement.accept(profile);
            Driver.super.check(profile, task, cwd, environment);
        }

        @Override
        public LaunchCommand launch(AttemptJob job) {
            return launcher.apply(this, job);
        }

        @Override
        public Optional<AgentProtocol> dialog(AttemptJob job) {
            return Optional.of(protocol.apply(job));
        }
    }

    /** A program of that name from npm. All of them can resume a conversation; those that take messages while they work also ask. */
    private static Driver cli(
            String name,
            String npmPackage,
            boolean steer,
            boolean cost,
            BiFunction<Driver, AttemptJob, LaunchCommand> launcher,
            Function<AttemptJob, AgentProtocol> protocol) {
        var abilities = new Capabilities(true, steer, cost, steer);
        var howToInstall = "Install it: npm install -g " + npmPackage;
        return new CliDriver(name, abilities, List.of(name), howToInstall, _ -> {}, launcher, protocol);
    }

    public static List<Driver> all() {
        return ALL;
    }

    public static Optional<Driver> find(String name) {
        return ALL.stream().filter(driver -> driver.name().equals(name)).findFirst();
    }

    public static Driver of(String name) {
        return find(name)
                .orElseThrow(() -> ErrorCode.UNKNOWN_DRIVER.error(
                        "There is no driver \"%s\".".formatted(TextFormat.printable(name)),
                        "Known drivers: %s."
                                .formatted(String.join(
                                        ", ", ALL.stream().map(Driver::name).toList()))));
    }

    /** Runs any command. Exit status 0 is success, and standard output is the result. */
    private static final class CommandDriver implements Driver {

        @Override
        public String name() {
            return "command";
        }

        @Override
        public Capabilities abilities() {
            return new Capabilities(false, false, false, false, true);
        }

        @Override
        public List<String> program() {
            return List.of("sh");
        }

        @Override
        public String howToInstall() {
            return "Check the spelling; for a line of shell use: roost run -- sh -c '…'.";
        }

        @Override
        public void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
            if (!task.argv().isEmpty()) Programs.require(task.argv().getFirst(), cwd, environment, howToInstall());
        }

        /** Runs the command line unchanged. A prompt is a script, which sh reads from its file. */
        @Override
        public LaunchCommand launch(AttemptJob job) {
            var argv = job.task().prompt().isPresent()
                    ? List.of("sh", job.promptFile().toString())
                    : job.task().argv();
            return new LaunchCommand(argv, Map.of(), new LaunchCommand.AgentStdin.Empty());
        }

        @Override
        public Optional<AgentProtocol> dialog(AttemptJob job) {
            return Optional.empty();
        }

        @Override
        public Outcome outcomeOf(Exit exit, Optional<FinalReport> last, boolean leftResult) {
            if (exit.signaled()) return new Outcome.Failed(Cause.SIGNAL);
            if (exit.status() != 0) return new Outcome.Failed(Cause.EXIT_CODE);
            return leftResult ? new Outcome.Completed() : new Outcome.CompletedEmpty();
        }
    }
}
