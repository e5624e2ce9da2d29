package dev.roost.agents;

import dev.roost.run.Budget;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import dev.roost.run.Status;
import dev.roost.run.Usage;
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

/** What a real program printed once, heard to its end. */
record Recording(List<Said> said, Heard heard, Exit exit, Outcome outcome) {

    static Recording of(String cli, String name) {
        return of(cli, name, job(cli), _ -> List.of());
    }

    static Recording of(String cli, String name, Job job) {
        return of(cli, name, job, _ -> List.of());
    }

    /** {@code told} is what the agent is told at once in return for something it says. */
    static Recording of(String cli, String name, Job job, Function<Said, List<Message>> told) {
        var driver = Drivers.of(cli);
        var dialog = driver.dialog(job).orElseThrow();
        var said = new ArrayList<Said>();
        for (var line : lines(cli, name + ".jsonl")) {
            for (var one : dialog.hear(line)) {
                said.add(one);
                told.apply(one).forEach(message -> said.addAll(dialog.tell(message)));
            }
        }
        var exit = exit(lines(cli, name + ".exit").getFirst());
        said.addAll(dialog.over(exit));
        var heard = heard(said);
        boolean leftResult = heard.last()
                .filter(word -> word instanceof LastWord.Success(var text) && !text.isBlank())
                .isPresent();
        return new Recording(said, heard, exit, driver.judge(exit, heard.last(), leftResult));
    }

    static Heard heard(List<Said> said) {
        var heard = Heard.NOTHING;
        for (var one : said) heard = heard.and(one);
        return heard;
    }

    /** How each of a program's recordings is judged. */
    static Map<String, String> outcomes(String cli) {
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

    static List<String> names(String cli) {
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

    static List<String> lines(String cli, String file) {
        try {
            return Files.readAllLines(directory(cli).resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path directory(String cli) {
        try {
            return Path.of(Objects.requireNonNull(Recording.class.getResource("/streams/" + cli))
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
    static Job job(String cli) {
        return job(Profile.plain(cli), Optional.empty(), Usage.NONE);
    }

    static Job job(Profile profile, Optional<String> session, Usage before) {
        return new Job(
                profile,
                new Task(List.of(), Optional.of("the prompt")),
                Path.of("/work"),
                Path.of("/prompt"),
                Budget.ofOutput(1),
                session,
                before,
                false);
    }

    static Profile profile(String cli, Permissions permissions) {
        return new Profile(
                cli,
                cli,
                List.of(),
                Optional.of("a-model"),
                List.of("--more"),
                permissions,
                Optional.of("Be \"kind\".\nBe brief."),
                Map.of());
    }

    List<String> texts() {
        return said.stream()
                .flatMap(one -> one instanceof Said.Text(var text) ? Stream.of(text) : null)
                .toList();
    }

    /** The tools that were begun, and how those failed that did. */
    List<String> tools() {
        var lines = new ArrayList<String>();
        for (var one : said) {
            if (one instanceof Said.ToolStarted(var _, var what)) lines.add(what);
            if (one instanceof Said.ToolEnded(var _, var failed, var how) && failed) lines.add("✗ " + how);
        }
        return lines;
    }

    List<String> notes() {
        return said.stream()
                .flatMap(one -> one instanceof Said.Note(var text) ? Stream.of(text) : null)
                .toList();
    }

    Optional<String> why() {
        return heard.last().map(word -> word instanceof LastWord.Failure(var _, var why) ? why : "it did not fail");
    }
}
