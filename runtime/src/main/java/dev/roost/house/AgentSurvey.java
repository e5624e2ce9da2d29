package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Profile;
import dev.roost.agents.Programs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** Which agents there are, as seen from a caller's directory and PATH. */
final class AgentSurvey {

    private final Config config;
    private final Project project;
    private final Path cwd;
    private final Map<String, String> environment;

    AgentSurvey(Config config, Project project, Path cwd, Map<String, String> environment) {
        this.config = config;
        this.project = project;
        this.cwd = cwd;
        this.environment = environment;
    }

    /** Which of them could be started. */
    List<String> installed() {
        return Agents.names(config, project).stream()
                .filter(name ->
                        program(Agents.of(config, project, name).profile()).isPresent())
                .toList();
    }

    /** Asks every program for its version, all at once. */
    List<KnownAgent> take() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var versions = new HashMap<Path, CompletableFuture<Optional<String>>>();
            var names = Agents.names(config, project);
            for (var name : names) {
                var profile = Agents.of(config, project, name).profile();
                if (profile.driver().equals("command")) continue; // sh, which has no version to tell
                program(profile)
                        .ifPresent(program -> versions.computeIfAbsent(
                                program,
                                path -> CompletableFuture.supplyAsync(
                                        () -> ProgramVersion.of(path, environment), threads)));
            }
            var known = new ArrayList<KnownAgent>();
            for (var name : names) {
                var profile = Agents.of(config, project, name).profile();
                var driver = Drivers.of(profile.driver());
                var program = program(profile);
                known.add(new KnownAgent(
                        profile,
                        source(name),
                        driver.abilities(),
                        program,
                        program.map(versions::get).flatMap(CompletableFuture::join),
                        driver.howToInstall()));
            }
            return known;
        }
    }

    private Optional<Path> program(Profile profile) {
        var words = profile.command().isEmpty() ? Drivers.of(profile.driver()).program() : profile.command();
        return words.stream()
                .findFirst()
                .flatMap(word -> Programs.find(word, cwd, environment)); // acp has none of its own
    }

    private KnownAgent.Source source(String name) {
        if (project.agents().containsKey(name)) return KnownAgent.Source.PROJECT;
        return config.agents().containsKey(name) ? KnownAgent.Source.CONFIG : KnownAgent.Source.BUILT_IN;
    }
}
