package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ModelRequest;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.model.ScriptedModel;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A NanoClaw group, set up as in integrations/nanoclaw: a daemon outside, containers that live for one message. */
public final class ContainerFixture implements AutoCloseable {

    final ScriptedModel model = ScriptedModel.start();
    public final Path home;
    public final Path group;
    private final Path scripts = Path.of("..", "integrations", "nanoclaw").toRealPath();
    private final AgentCliHome user;
    private final RoostProgram program;
    private final String address;
    private final List<Process> containers = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    public ContainerFixture(Path directory) throws Exception {
        home = directory.resolve("home");
        group = directory.resolve("group");
        program = RoostProgram.in(directory.resolve("bin"));
        user = AgentCliHome.fresh(AgentCliCatalog.CLAUDE, Files.createDirectories(directory.resolve("user")), model);
        user.environment().put("ROOST_HOME", home.toString());
        user.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        var config = Files.createDirectories(user.path().resolve(".config/roost"));
        Files.writeString(config.resolve("config.toml"), """
                [agents.worker]
                driver = "claude"
                permissions = "all"

                [tools]
                agents = ["worker", "command"]
                """);
        var setup = new ArrayList<>(List.of(scripts.resolve("setup").toString(), group.toString(), "nanoclaw:family"));
        setup.addAll(List.of("--agent", "worker", "--agent", "command"));
        AgentCliCatalog.CLAUDE
                .environment(user.path(), model.address())
                .forEach((name, value) -> setup.addAll(List.of("--env", name + "=" + value)));
        ended(user.process(setup));
        var claude = Path.of(AgentCliCatalog.command(AgentCliCatalog.CLAUDE).getLast());
        Files.writeString(group.resolve("programs"), claude.getParent() + "\n");
        var server = JsonObjects.MAPPER.readTree(group.resolve("roost/mcp.json"));
        address = server.path("mcpServers").path("roost").path("url").asString().replace("/mcp", "");
    }

    private static void ended(ProcessBuilder builder) throws IOException {
        var process = builder.redirectErrorStream(true).start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.onExit().join().exitValue()).as(printed).isZero();
    }

    private Process container(List<String> command) throws IOException {
        var words = new ArrayList<>(List.of(scripts.resolve("container").toString(), group.toString()));
        AgentCliCatalog.CLAUDE
                .environment(user.path(), model.address())
                .keySet()
                .forEach(name -> words.addAll(List.of("-e", name)));
        words.addAll(command);
        var process = user.process(words)
                .redirectOutput(user.path().resolve("out").toFile())
                .redirectError(user.path().resolve("err").toFile())
                .start();
        containers.add(process);
        return process;
    }

    /** Starts a container for a message, with a new session of Claude Code. */
    public Process message(String prompt) throws IOException {
        var words = List.of(
                "claude -p --permission-mode acceptEdits --settings /roost/settings.json --mcp-config /roost/mcp.json"
                        .split(" "));
        var process = container(words);
        try (var in = process.getOutputStream()) {
            in.write(prompt.getBytes(StandardCharsets.UTF_8));
        }
        return process;
    }

    /** Waits until the message is answered and its container has ended. */
    public List<RequestRecord> answered(String mark, String prompt) throws Exception {
        var process = message(mark + " " + prompt);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(this::printed).isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
        var asked = askedAbout(mark);
        assertThat(asked).as(this::printed).isNotEmpty();
        return asked;
    }

    /** Kills the first process of a container, and thereby all others. */
    public static void destroy(Process container) throws InterruptedException {
        var first = container.children().findFirst().orElseThrow();
        var all = container.descendants().toList();
        first.destroyForcibly();
        container.waitFor();
        all.forEach(process -> process.onExit().join());
    }

    /** The output of a plain command in a container. */
    public String printedBy(String script) throws Exception {
        var process = container(List.of("sh", "-c", script));
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return printed();
    }

    public String printed() {
        try {
            return Files.readString(user.path().resolve("out"))
                    + Files.readString(user.path().resolve("err"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    public List<RequestRecord> askedAbout(String mark) {
        return model.asked().stream()
                .filter(requestRecord -> !requestRecord.modelRequest().tools().isEmpty())
                .filter(requestRecord -> requestRecord.modelRequest().messages().stream()
                        .anyMatch(message -> message.role() == ModelRequest.Role.USER
                                && message.text().contains(mark)))
                .toList();
    }

    public String groupsToken() throws IOException {
        return Files.readString(group.resolve("token")).strip();
    }

    /** Calls a tool with that token. */
    public JsonNode tool(String token, String name, ObjectNode arguments) throws Exception {
        var call = JsonObjects.object("jsonrpc", "2.0", "id", 1, "method", "tools/call");
        call.set("params", JsonObjects.object("name", name, "arguments", arguments));
        var request = HttpRequest.newBuilder(URI.create(address + "/mcp"))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .header("Roost-Owner", "cli:somebody-else")
                .header("Roost-Directory", user.project().toString())
                .POST(HttpRequest.BodyPublishers.ofString(call.toString()));
        var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonObjects.MAPPER.readTree(answer.body()).path("result").path("structuredContent");
    }

    public long daemon() throws IOException {
        try (var processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(path -> Objects.toString(path.getFileName()))
                    .filter(name -> name.matches("\\d+"))
                    .filter(pid -> isDaemon(Path.of("/proc", pid)))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private boolean isDaemon(Path process) {
        try {
            var words = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return words.contains("dev.roost.daemon.DaemonMain") && words.contains(home + "\0");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        containers.forEach(Process::destroyForcibly);
        model.close();
        client.shutdownNow();
        ended(user.process(List.of(program.path().toString(), "stop", "--all")));
        ended(user.process(List.of(program.path().toString(), "daemon", "stop")));
    }
}
