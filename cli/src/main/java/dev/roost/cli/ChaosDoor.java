package dev.roost.cli;

import dev.roost.cli.chaos.Door;
import dev.roost.cli.chaos.Scene;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.node.ObjectNode;

/** A client for every call, so that any number can be made at once; none waits for ever. */
final class ChaosDoor implements Door, AutoCloseable {

    private static final int PATIENCE_SECONDS = 40;

    private final Scene scene;
    private final List<String> program;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    ChaosDoor(Scene scene, List<String> program) {
        this.scene = scene;
        this.program = program;
    }

    private interface Call {
        tools.jackson.databind.JsonNode of(Client client);
    }

    @Override
    public Answer ask(String owner, String method, ObjectNode params) {
        return answer(owner, client -> client.ask(method, params));
    }

    @Override
    public Answer tell(String owner, String method, ObjectNode params) {
        return answer(owner, client -> client.tell(method, params));
    }

    private Answer answer(String owner, Call call) {
        var nothing = Client.JSON.createObjectNode();
        try (var client = Client.of(scene.home(), identity(owner), scene.settings())) {
            var answer = threads.submit(() -> call.of(client));
            return new Answer("", "", answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof CliError error))
                return new Answer("unreached", String.valueOf(e.getCause()), nothing);
            boolean unknown = error.exit() == CliError.NO_DAEMON;
            return new Answer(unknown ? "unreached" : error.code(), error.sentence(), nothing);
        } catch (TimeoutException e) {
            return new Answer("unreached", "no answer within %d s".formatted(PATIENCE_SECONDS), nothing);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer("unreached", "interrupted", nothing);
        }
    }

    private static Identity identity(String owner) {
        return owner.equals(OPERATOR) ? new Identity("cli:chaos", true) : new Identity(owner, false);
    }

    @Override
    public Ran roost(String owner, List<String> words) {
        var command = new ArrayList<>(program);
        command.addAll(words);
        var builder = new ProcessBuilder(command).directory(scene.base().toFile());
        var environment = builder.environment();
        environment.keySet().retainAll(List.of("PATH", "LC_ALL", "USER", "LOGNAME"));
        environment.putAll(scene.settings());
        environment.put("ROOST_HOME", scene.home().toString());
        if (!owner.equals(OPERATOR)) environment.put("ROOST_OWNER", owner);
        builder.redirectInput(Path.of("/dev/null").toFile());
        try {
            var process = builder.start();
            var out = threads.submit(() -> new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            var err = threads.submit(() -> new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Ran(-1, "", "no end within %d s".formatted(PATIENCE_SECONDS));
            }
            return new Ran(process.exitValue(), out.get(), err.get());
        } catch (IOException | ExecutionException e) {
            return new Ran(-1, "", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Ran(-1, "", "interrupted");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
