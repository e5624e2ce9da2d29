package dev.roost.agents.testing;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentState;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.FinalReport;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.model.Budget;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The recorded output of a real program, parsed to its end. */
public record AgentTranscript(List<AgentOutput> said, AgentState state, Exit exit, Outcome outcome) {

    public static AgentTranscript of(String cli, String name) {
        return of(cli, name, job(cli), _ -> List.of());
    }

    public static AgentTranscript of(String cli, String name, AttemptJob job) {
        return of(cli, name, job, _ -> List.of());
    }

    /** {@code replies} returns the input that the protocol encodes at once after an output. */
    public static AgentTranscript of(
            String cli, String name, AttemptJob job, Function<AgentOutput, List<AgentInput>> replies) {
        var driver = Drivers.of(cli);
        var protocol = driver.dialog(job).orElseThrow();
        var said = new ArrayList<AgentOutput>();
        for (var line : lines(cli, name + ".jsonl")) {
            for (var one : protocol.parseLine(line)) {
                said.add(one);
                replies.apply(one).forEach(message -> said.addAll(protocol.encode(message)));
            }
        }
        var exit = exit(lines(cli, name + ".exit").getFirst());
        said.addAll(protocol.onExit(exit));
        var state = state(said);
        boolean leftResult = state.finalReport()
                .filter(word -> word instanceof FinalReport.Success(var text) && !text.isBlank())
                .isPresent();
        return new AgentTranscript(said, state, exit, driver.outcomeOf(exit, state.finalReport(), leftResult));
    }

    public static AgentState state(List<AgentOutput> said) {
        var state = AgentState.NOTHING;
        for (var one : said) state = state.apply(one);
        return state;
    }

    /** The outcome of each of a program's recordings. */
    public static Map<String, String> outcomes(String cli) {
        var outcomes = new TreeMap<String, String>();
        for (var name : names(cli)) {
            var outcome = of(cli, name).outcome();
            outcomes.put(
                    name,
                    outcome.status() == Status.FAILED
                            ? outcome.cause().word()
                            : outcome.status().word());
        }
        return outcomes;
    }

    public static List<String> names(String cli) {
        try (var files = Files.list(directory(cli))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jsonl"))
                    .map(name -> name.replace(".jsonl", ""))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<String> lines(String cli, String file) {
        try {
            return Files.readAllLines(directory(cli).resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path directory(String cli) {
        try {
            return Path.of(Objects.requireNonNull(AgentTranscript.class.getResource("/streams/" + cli))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Exit exit(String words) {
        int number = Integer.parseInt(words.substring(words.indexOf(' ') + 1));
        return words.startsWith("signal") ? new Exit(128 + number, true) : new Exit(number, false);
    }

    /** The first attempt of a plain agent. */
    public static AttemptJob job(String cli) {
        return job(AgentProfile.plain(cli), Optional.empty(), Usage.NONE);
    }

    public static AttemptJob job(AgentProfile profile, Optional<String> session, Usage before) {
        return new AttemptJob(
                profile,
                new Task(List.of(), Optional.of("the prompt")),
                Path.of("/work"),
                Path.of("/prompt"),
                Budget.ofOutput(1),
                session,
                before,
                false);
    }

    public static AgentProfile profile(String cli, Permissions permissions) {
        return new AgentProfile(
                cli,
                cli,
                List.of(),
                Optional.of("a-model"),
                List.of("--more"),
                permissions,
                Optional.of("Be \"kind\".\nBe brief."),
                Map.of());
    }

    public List<String> texts() {
        return said.stream()
                .flatMap(one -> one instanceof AgentOutput.Text(var text) ? Stream.of(text) : null)
                .toList();
    }

    /** The started tools, and the errors of the failed ones. */
    public List<String> tools() {
        var lines = new ArrayList<String>();
        for (var one : said) {
            if (one instanceof AgentOutput.ToolStarted(var _, var what)) lines.add(what);
            if (one instanceof AgentOutput.ToolEnded(var _, var failed, var how) && failed) lines.add("✗ " + how);
        }
        return lines;
    }

    public List<String> notes() {
        return said.stream()
                .flatMap(one -> one instanceof AgentOutput.Note(var text) ? Stream.of(text) : null)
                .toList();
    }

    public Optional<String> why() {
        return state.finalReport()
                .map(word -> word instanceof FinalReport.Failure(var _, var why) ? why : "it did not fail");
    }
}
