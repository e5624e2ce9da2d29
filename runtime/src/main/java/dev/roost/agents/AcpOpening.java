package dev.roost.agents;

import dev.roost.run.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The way to a session that is ready for a prompt: initialize, then new or resumed or loaded, its mode, its model. */
final class AcpOpening {

    private static final int VERSION = 1;

    private final Job job;
    private final JsonRpc rpc;
    private final Function<String, List<Said>> ready;
    private final Function<LastWord, List<Said>> failed;
    private String session = "";
    private boolean replays;

    AcpOpening(Job job, JsonRpc rpc, Function<String, List<Said>> ready, Function<LastWord, List<Said>> failed) {
        this.job = job;
        this.rpc = rpc;
        this.ready = ready;
        this.failed = failed;
    }

    Said.Send initialize() {
        var params = JsonLines.object().put("protocolVersion", VERSION);
        var can = params.putObject("clientCapabilities").put("terminal", false);
        can.putObject("fs").put("readTextFile", false).put("writeTextFile", false);
        params.putObject("clientInfo")
                .put("name", "roost")
                .put("version", System.getProperty("roost.version", "0.1.0"));
        return rpc.ask("initialize", params, then(this::initialized));
    }

    private JsonRpc.Then then(Function<JsonNode, List<Said>> result) {
        return new JsonRpc.Then(result, error -> failed.apply(AcpError.failure(error)));
    }

    private List<Said> failed(String why) {
        return failed.apply(new LastWord.Failure(Cause.AGENT_ERROR, why));
    }

    private List<Said> initialized(JsonNode result) {
        int version = result.path("protocolVersion").asInt(VERSION);
        if (version != VERSION)
            return failed("it speaks version %d of ACP, and Roost version %d".formatted(version, VERSION));
        var can = result.path("agentCapabilities");
        var params = JsonLines.object().put("cwd", job.cwd().toString());
        params.putArray("mcpServers");
        if (job.session().isEmpty()) return List.of(rpc.ask("session/new", params, then(this::opened)));
        params.put("sessionId", job.session().get());
        if (can.path("sessionCapabilities").has("resume"))
            return List.of(rpc.ask("session/resume", params, thenGoesOn()));
        replays = can.path("loadSession").asBoolean(false);
        if (replays) return List.of(rpc.ask("session/load", params, thenGoesOn()));
        return failed("this agent cannot take up a conversation again");
    }

    private JsonRpc.Then thenGoesOn() {
        return new JsonRpc.Then(
                this::opened, error -> failed("it could not take up its conversation again: " + AcpError.words(error)));
    }

    private List<Said> opened(JsonNode offered) {
        session = job.session().orElseGet(() -> offered.path("sessionId").asString(""));
        return after(new Said.Session(session), setMode(offered));
    }

    private List<Said> setMode(JsonNode offered) {
        var permissions = job.profile().permissions();
        var offer = AcpOffer.mode(offered);
        var mode = offer.flatMap(modes -> modes.first(
                switch (permissions) {
                    case SAFE -> List.of("default", "ask", "read-only");
                    case EDIT -> List.of("acceptEdits", "autoEdit", "auto");
                    case ALL -> List.of("bypassPermissions", "yolo", "full-access");
                }));
        if (mode.isEmpty()) {
            if (permissions == Permissions.ALL) return setModel(offered); // it is allowed whatever it asks for
            return after(
                    new Said.Note("it has no mode for permissions = %s: what it asks for is up to its own settings"
                            .formatted(permissions.word())),
                    setModel(offered));
        }
        boolean fits = offer.get().current().equals(mode.get());
        // gemini goes on with the history after it has answered a load; its next answer comes behind that
        if (fits && !replays) return setModel(offered);
        Function<JsonNode, List<Said>> refused = error -> {
            var why = "it would not go into its mode %s: %s".formatted(mode.get(), AcpError.words(error));
            if (permissions == Permissions.SAFE && !fits) return failed(why);
            return after(new Said.Note(why), setModel(offered));
        };
        return List.of(choose(offer.get(), mode.get(), new JsonRpc.Then(_ -> setModel(offered), refused)));
    }

    private List<Said> setModel(JsonNode offered) {
        var offer = AcpOffer.model(offered);
        var current = offer.map(AcpOffer::current).filter(name -> !name.isBlank());
        var wanted = job.profile().model().or(() -> current);
        if (wanted.isEmpty()) return ready.apply(session);
        var model = wanted.get();
        if (offer.isEmpty())
            return after(
                    new Said.Note("it offers no choice of model, so it is not told to use " + model),
                    ready.apply(session));
        if (wanted.equals(current)) return after(new Said.Model(model), ready.apply(session));
        return List.of(choose(
                offer.get(),
                model,
                new JsonRpc.Then(
                        _ -> after(new Said.Model(model), ready.apply(session)),
                        error -> failed("it would not use the model %s: %s".formatted(model, AcpError.words(error))))));
    }

    private Said.Send choose(AcpOffer offer, String value, JsonRpc.Then then) {
        ObjectNode params = offer.choose(value).put("sessionId", session);
        return rpc.ask(offer.method(), params, then);
    }

    private static List<Said> after(Said first, List<Said> others) {
        var all = new ArrayList<Said>(List.of(first));
        all.addAll(others);
        return all;
    }
}
