package dev.roost.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The temporary directory: a home, and beside it files that Roost does not know. */
public record ChaosHome(Path base) {

    /** An attempt whose agent is alive. */
    record LiveAttempt(String runId, Path directory, ExactProcess perch, ExactProcess agent) {}

    public Path home() {
        return base.resolve("home");
    }

    Path repository() {
        return base.resolve("repository");
    }

    Path agent() {
        return base.resolve("agent.sh");
    }

    Path evidence(String name) {
        return base.resolve("evidence").resolve(name);
    }

    Path keptHome() {
        return base.resolve("home-kept");
    }

    /** The environment of daemons and commands, in place of the user's own directories. */
    public Map<String, String> settings() {
        return Map.of(
                "HOME", base.resolve("user").toString(),
                "XDG_CONFIG_HOME", base.resolve("config").toString(),
                "ROOST_HTTP", "off",
                "ROOST_MAX_LIVE_PER_OWNER", "12",
                "ROOST_FAULTS", base.resolve("faults").toString());
    }

    void prepare() throws IOException {
        for (var name : List.of("home", "user", "config", "evidence", "repository"))
            Files.createDirectories(base.resolve(name));
        try (var script = ChaosHome.class.getResourceAsStream("agent.sh")) {
            if (script == null) throw new IOException("the resource agent.sh is missing");
            Files.copy(script, agent());
        }
        faults("");
    }

    /** Creates a repository with one commit; false if git is not installed. */
    boolean repositoryMade() {
        String script = "git init -q -b main && echo begin >begin && git add begin"
                + " && git -c user.name=chaos -c user.email=chaos@localhost commit -qm begin";
        return Shell.run(repository(), script) == 0;
    }

    /** Sets the faults that the daemon injects into itself. */
    void faults(String lines) {
        try {
            var fresh = base.resolve("faults.new");
            Files.writeString(fresh, lines);
            Files.move(fresh, base.resolve("faults"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    AgentLog evidenceOf(String name) {
        return AgentLog.of(evidence(name));
    }

    List<String> evidenceNames() {
        return names(base.resolve("evidence"));
    }

    List<String> runDirectories() {
        return names(home().resolve("runs"));
    }

    private static List<String> names(Path directory) {
        try (var all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Oldest first. */
    List<LiveAttempt> live() {
        var live = new ArrayList<LiveAttempt>();
        for (var id : runDirectories()) {
            var directory = home().resolve("runs").resolve(id).resolve("1");
            var start = start(directory);
            if (isWritten(directory.resolve("exit"))) continue;
            var perch = new ExactProcess(
                    start.path("perch_pid").asLong(0), start.path("perch_start").asLong(0));
            var agent = new ExactProcess(
                    start.path("agent_pid").asLong(0), start.path("agent_start").asLong(0));
            if (agent.alive()) live.add(new LiveAttempt(id, directory, perch, agent));
        }
        return live;
    }

    /** A record is an empty file until it is written. */
    static boolean isWritten(Path record) {
        try {
            return Files.size(record) > 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The perch of an attempt, if its start record names it. */
    List<ExactProcess> perch(String runId) {
        var start = start(home().resolve("runs").resolve(runId).resolve("1"));
        return start.has("perch_pid")
                ? List.of(new ExactProcess(
                        start.get("perch_pid").asLong(),
                        start.path("perch_start").asLong()))
                : List.of();
    }

    /** Copies the home to a path that is kept after this program; returns the path of the evidence. */
    public Path keep() {
        return Shell.run(base, "cp -a home home-kept && rm -f home-kept/roost.sock") == 0 ? keptHome() : home();
    }

    private static JsonNode start(Path directory) {
        try {
            return ChaosSession.JSON.readTree(Files.readString(directory.resolve("start")));
        } catch (IOException | JacksonException e) {
            return ChaosSession.JSON.createObjectNode(); // not started, or torn
        }
    }
}
