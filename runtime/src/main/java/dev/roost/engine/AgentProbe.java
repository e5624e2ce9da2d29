package dev.roost.engine;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Programs;
import dev.roost.agents.driver.Drivers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** Looks up the agents' programs from a caller's directory and PATH. */
final class AgentProbe {

    private final AgentCatalog agents;
    private final Path cwd;
    private final Map<String, String> environment;

    AgentProbe(AgentCatalog agents, Path cwd, Map<String, String> environment) {
        this.agents = agents;
        this.cwd = cwd;
        this.environment = environment;
    }

    /** The names of the agents whose program is installed. */
    List<String> installed() {
        return agents.names().stream()
                .filter(name -> program(agents.named(name).profile()).isPresent())
                .toList();
    }

    /** Asks every program for its version, in parallel. */
    List<AgentAvailability> probe() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var versions = new HashMap<Path, CompletableFuture<Optional<String>>>();
            var names = agents.names();
            for (var name : names) {
                var profile = agents.named(name).profile();
                if (Drivers.of(profile.driver()).abilities().plainProgram()) continue; // sh has no version
                program(profile)
                        .ifPresent(program -> versions.computeIfAbsent(
                                program,
                                path -> CompletableFuture.supplyAsync(
                                        () -> ProgramVersionProbe.of(path, environment), threads)));
            }
            var available = new ArrayList<AgentAvailability>();
            for (var name : names) {
                var profile = agents.named(name).profile();
                var driver = Drivers.of(profile.driver());
                var program = program(profile);
                available.add(new AgentAvailability(
                        profile,
                        agents.source(name),
                        driver.abilities(),
                        program,
                        program.map(versions::get).flatMap(CompletableFuture::join),
                        driver.howToInstall()));
            }
            return available;
        }
    }

    private Optional<Path> program(AgentProfile profile) {
        var command = profile.command().isEmpty() ? Drivers.of(profile.driver()).program() : profile.command();
        return command.stream()
                .findFirst()
                .flatMap(word -> Programs.find(word, cwd, environment)); // the acp driver has no program of its own
    }
}
