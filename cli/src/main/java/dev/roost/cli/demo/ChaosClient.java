package dev.roost.cli.demo;

import dev.roost.chaos.ChaosHome;
import dev.roost.chaos.RoostAccess;
import dev.roost.cli.client.CallerIdentity;
import dev.roost.cli.client.CliError;
import dev.roost.cli.client.DaemonClient;
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

/** Opens one client a call, so that calls can run in parallel; each has a timeout. */
final class ChaosClient implements RoostAccess, AutoCloseable {

    private static final int TIMEOUT_SECONDS = 40;

    private final ChaosHome home;
    private final List<String> program;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    ChaosClient(ChaosHome home, List<String> program) {
        this.home = home;
        this.program = program;
    }

    private interface ClientCall {
        tools.jackson.databind.JsonNode of(DaemonClient client);
    }

    @Override
    public CallResult call(String owner, String method, ObjectNode params) {
        return answer(owner, client -> client.call(method, params));
    }

    @Override
    public CallResult callOnce(String owner, String method, ObjectNode params) {
        return answer(owner, client -> client.callOnce(method, params));
    }

    private CallResult answer(String owner, ClientCall call) {
        var nothing = DaemonClient.JSON.createObjectNode();
        try (var client = DaemonClient.of(home.home(), identity(owner), home.settings())) {
            var answer = threads.submit(() -> call.of(client));
            return new CallResult("", "", answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof CliError error))
                return new CallResult("unreached", String.valueOf(e.getCause()), nothing);
            boolean unknown = error.exit() == CliError.NO_DAEMON;
            return new CallResult(unknown ? "unreached" : error.code(), error.sentence(), nothing);
        } catch (TimeoutException e) {
            return new CallResult("unreached", "no answer within %d s".formatted(TIMEOUT_SECONDS), nothing);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new CallResult("unreached", "interrupted", nothing);
        }
    }

    private static CallerIdentity identity(String owner) {
        return owner.equals(OPERATOR) ? new CallerIdentity("cli:chaos", true) : new CallerIdentity(owner, false);
    }

    @Override
    public CommandResult roost(String owner, List<String> words) {
        var command = new ArrayList<>(program);
        command.addAll(words);
        var builder = new ProcessBuilder(command).directory(home.base().toFile());
        var environment = builder.environment();
        environment.keySet().retainAll(List.of("PATH", "LC_ALL", "USER", "LOGNAME"));
        environment.putAll(home.settings());
        environment.put("ROOST_HOME", home.home().toString());
        if (!owner.equals(OPERATOR)) environment.put("ROOST_OWNER", owner);
        builder.redirectInput(Path.of("/dev/null").toFile());
        try {
            var process = builder.start();
            var out = threads.submit(() -> new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            var err = threads.submit(() -> new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new CommandResult(-1, "", "timeout after %d s".formatted(TIMEOUT_SECONDS));
            }
            return new CommandResult(process.exitValue(), out.get(), err.get());
        } catch (IOException | ExecutionException e) {
            return new CommandResult(-1, "", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new CommandResult(-1, "", "interrupted");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
