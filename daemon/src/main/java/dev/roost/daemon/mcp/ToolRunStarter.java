package dev.roost.daemon.mcp;

import dev.roost.agents.Task;
import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.RequestFields;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Starts runs for models and programs. */
public record ToolRunStarter(RoostService service, AllowedAgents agents) {

    /** Starts a run for a restricted client: in its directory, with an agent that models may use, and within its limits. */
    public RunRecord startInDirectory(
            RequestFields requestFields, ToolClient client, Owner owner, Optional<String> callKey) {
        var cwd = directory(requestFields, client, owner);
        var agent = agents.choose(requestFields.text("agent"), requestFields.text("agent_if_known"), client, cwd);
        var budget =
                requestFields.budget().atMost(service.agents(cwd).named(agent).budget());
        return service.start(request(requestFields, client, owner, agent, cwd, client.environment(), budget, callKey));
    }

    /** Starts a run for the operator: with any agent, in any directory, with any caps and with these variables. */
    public RunRecord startAnywhere(
            RequestFields requestFields,
            ToolClient client,
            Owner owner,
            Map<String, String> variables,
            Optional<String> callKey) {
        var home = client.home(owner);
        var cwd = requestFields.text("cwd").isEmpty() ? home : home.resolve(requestFields.path("cwd"));
        var environment = new TreeMap<>(client.environment());
        environment.putAll(variables);
        var agent =
                requestFields.text("agent").orElseGet(() -> service.agents(cwd).usual());
        return service.start(
                request(requestFields, client, owner, agent, cwd, environment, requestFields.budget(), callKey));
    }

    private static StartRequest request(
            RequestFields requestFields,
            ToolClient client,
            Owner owner,
            String agent,
            Path cwd,
            Map<String, String> environment,
            Budget budget,
            Optional<String> callKey) {
        return new StartRequest(
                owner,
                agent,
                new Task(List.of(), Optional.of(requestFields.required("prompt"))),
                requestFields.text("name"),
                requestFields.text("description").map(TextFormat::printable),
                cwd,
                environment,
                "022",
                budget,
                requestFields.resumesOnLoss(),
                client.origin(),
                new StartRequest.Terms(
                        requestFields.text("notify").map(Notify::of).orElse(Notify.DONE),
                        callKey,
                        client.limits().launcher(),
                        isolated(requestFields),
                        requestFields.texts("on"),
                        client.limits().maxLive()));
    }

    private static boolean isolated(RequestFields requestFields) {
        return switch (requestFields.text("isolation").orElse("none")) {
            case "none" -> false;
            case "worktree" -> true;
            default -> throw new BadInput("bad_field", "Unknown isolation.", "Pass none or worktree.");
        };
    }

    /** The run's directory. Its real path, with links resolved, must be inside the owner's directory. */
    private static Path directory(RequestFields requestFields, ToolClient client, Owner owner) {
        var home = client.home(owner);
        if (requestFields.text("cwd").isEmpty()) return home;
        var wanted = client.limits().paths().outside(requestFields.path("cwd"));
        var cwd = home.resolve(wanted);
        try {
            if (cwd.toRealPath().startsWith(home.toRealPath())) return cwd.toRealPath();
        } catch (IOException e) {
            throw new BadInput(
                    "no_such_directory",
                    "There is no directory \"%s\".".formatted(TextFormat.printable(requestFields.required("cwd"))),
                    "Pass one inside the project, or omit cwd.");
        }
        throw new Refusal(
                "outside_project",
                "\"%s\" is not inside this session's project, %s."
                        .formatted(
                                TextFormat.printable(requestFields.required("cwd")),
                                client.limits().paths().inside(home)),
                "Pass a directory inside it, or omit cwd.");
    }
}
