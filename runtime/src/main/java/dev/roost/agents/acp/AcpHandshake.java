package dev.roost.agents.acp;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.JsonRpc;
import dev.roost.agents.Permissions;
import dev.roost.model.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Prepares a session for a prompt: initializes, then creates, resumes or loads it, then sets its mode and model. */
final class AcpHandshake {

    private static final int VERSION = 1;

    private final AttemptJob job;
    private final JsonRpc rpc;
    private final Function<String, List<AgentOutput>> ready;
    private final Function<FinalReport, List<AgentOutput>> failed;
    private String session = "";
    private boolean replays;

    AcpHandshake(
            AttemptJob job,
            JsonRpc rpc,
            Function<String, List<AgentOutput>> ready,
            Function<FinalReport, List<AgentOutput>> failed) {
        this.job = job;
        this.rpc = rpc;
        this.ready = ready;
        this.failed = failed;
    }

    AgentOutput.StdinLine initialize() {
        var params = JsonLines.object().put("protocolVersion", VERSION);
        var can = params.putObject("clientCapabilities").put("terminal", false);
        can.putObject("fs").put("readTextFile", false).put("writeTextFile", false);
        params.putObject("clientInfo")
                .put("name", "roost")
                .put("version", System.getProperty("roost.version", "0.1.0"));
        return rpc.ask("initialize", params, then(this::initialized));
    }

    private JsonRpc.ResponseHandlers then(Function<JsonNode, List<AgentOutput>> result) {
        return new JsonRpc.ResponseHandlers(result, error -> failed.apply(AcpError.failure(error)));
    }

    private List<AgentOutput> failed(String why) {
        return failed.apply(new FinalReport.Failure(Cause.AGENT_ERROR, why));
    }

    private List<AgentOutput> initialized(JsonNode result) {
        int version = result.path("protocolVersion").asInt(VERSION);
        if (version != VERSION)
            return failed("it speaks version %d of ACP, and Roost version %d".formatted(version, VERSION));
        var can = result.path("agentCapabilities");
        var params = JsonLines.object().put("cwd", job.cwd().toString());
        params.putArray("mcpServers");
        if (job.session().isEmpty()) return List.of(rpc.ask("session/new", params, then(this::opened)));
        params.put("sessionId", job.session().get());
        if (can.path("sessionCapabilities").has("resume"))
            return List.of(rpc.ask("session/resume", params, continueWhenOpened()));
        replays = can.path("loadSession").asBoolean(false);
        if (replays) return List.of(rpc.ask("session/load", params, continueWhenOpened()));
        return failed("this agent cannot take up a conversation again");
    }

    private JsonRpc.ResponseHandlers continueWhenOpened() {
        return new JsonRpc.ResponseHandlers(
                this::opened, error -> failed("it could not take up its conversation again: " + AcpError.words(error)));
    }

    private List<AgentOutput> opened(JsonNode offered) {
        session = job.session().orElseGet(() -> offered.path("sessionId").asString(""));
        return after(new AgentOutput.Session(session), setMode(offered));
    }

    private List<AgentOutput> setMode(JsonNode offered) {
        var permissions = job.profile().permissions();
        var offer = AcpOption.mode(offered);
        var mode = offer.flatMap(modes -> modes.first(
                switch (permissions) {
                    case SAFE -> List.of("default", "ask", "read-only");
                    case EDIT -> List.of("acceptEdits", "autoEdit", "auto");
                    case ALL -> List.of("bypassPermissions", "yolo", "full-access");
                }));
        if (mode.isEmpty()) {
            if (permissions == Permissions.ALL) return setModel(offered); // all its requests are granted
            return after(
                    new AgentOutput.Note(
                            "it has no mode for permissions = %s: what it asks for is up to its own settings"
                                    .formatted(permissions.word())),
                    setModel(offered));
        }
        boolean fits = offer.get().currentValue().equals(mode.get());
        // gemini sends more history after its response to a load; its next response follows the history
        if (fits && !replays) return setModel(offered);
        Function<JsonNode, List<AgentOutput>> refused = error -> {
            var why = "it would not go into its mode %s: %s".formatted(mode.get(), AcpError.words(error));
            if (permissions == Permissions.SAFE && !fits) return failed(why);
            return after(new AgentOutput.Note(why), setModel(offered));
        };
        return List.of(choose(offer.get(), mode.get(), new JsonRpc.ResponseHandlers(_ -> setModel(offered), refused)));
    }

    private List<AgentOutput> setModel(JsonNode offered) {
        var offer = AcpOption.model(offered);
        var current = offer.map(AcpOption::currentValue).filter(name -> !name.isBlank());
        var wanted = job.profile().model().or(() -> current);
        if (wanted.isEmpty()) return ready.apply(session);
        var model = wanted.get();
        if (offer.isEmpty())
            return after(
                    new AgentOutput.Note("it offers no choice of model, so it is not told to use " + model),
                    ready.apply(session));
        if (wanted.equals(current)) return after(new AgentOutput.Model(model), ready.apply(session));
        return List.of(choose(
                offer.get(),
                model,
                new JsonRpc.ResponseHandlers(
                        _ -> after(new AgentOutput.Model(model), ready.apply(session)),
                        error -> failed("it would not use the model %s: %s".formatted(model, AcpError.words(error))))));
    }

    private AgentOutput.StdinLine choose(AcpOption offer, String value, JsonRpc.ResponseHandlers then) {
        ObjectNode params = offer.choose(value).put("sessionId", session);
        return rpc.ask(offer.method(), params, then);
    }

    private static List<AgentOutput> after(AgentOutput first, List<AgentOutput> others) {
        var all = new ArrayList<AgentOutput>(List.of(first));
        all.addAll(others);
        return all;
    }

    /** A choice that a session offers its client: in its own field (the older form) or among the config options. */
    private record AcpOption(String method, String configId, String field, String currentValue, List<String> values) {

        static Optional<AcpOption> mode(JsonNode session) {
            return inField(session.path("modes"), "session/set_mode", "Mode", "id")
                    .or(() -> option(session, "mode"));
        }

        static Optional<AcpOption> model(JsonNode session) {
            return option(session, "model")
                    .or(() -> inField(session.path("models"), "session/set_model", "Model", "modelId"));
        }

        private static Optional<AcpOption> inField(JsonNode offered, String method, String what, String id) {
            var values = values(offered.path("available" + what + "s"), id);
            if (values.isEmpty()) return Optional.empty();
            var field = what.toLowerCase(Locale.ROOT) + "Id";
            return Optional.of(new AcpOption(
                    method, "", field, offered.path("current" + what + "Id").asString(""), values));
        }

        private static Optional<AcpOption> option(JsonNode session, String category) {
            return session.path("configOptions")
                    .valueStream()
                    .filter(option -> option.path("category").asString("").equals(category))
                    .findFirst()
                    .map(option -> new AcpOption(
                            "session/set_config_option",
                            option.path("id").asString(""),
                            "value",
                            option.path("currentValue").asString(""),
                            values(option.path("options"), "value")));
        }

        private static List<String> values(JsonNode list, String id) {
            return list.valueStream().map(one -> one.path(id).asString("")).toList();
        }

        /** The first of {@code wanted} that the session offers. */
        Optional<String> first(List<String> wanted) {
            return wanted.stream().filter(values::contains).findFirst();
        }

        ObjectNode choose(String value) {
            var params = JsonLines.object();
            if (!configId.isEmpty()) params.put("configId", configId);
            return params.put(field, value);
        }
    }
}
