package dev.roost.daemon.mcp;

import dev.roost.agents.Task;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.house.StartRequest;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Starts runs for those who are no person in a shell: models, and programs. */
public record Starting(House house, ToolAgents agents) {

    /** For one who is bound: to its directory, to the agents that models may use and their caps, to a number of live runs. */
    public Run bound(Params params, Client client, Owner owner, Optional<String> callKey) {
        var cwd = directory(params, client, owner);
        var agent = agents.choose(params.text("agent"), params.text("agent_if_known"), client, cwd);
        var budget = params.budget().atMost(house.agents(cwd).named(agent).budget());
        return house.start(request(params, client, owner, agent, cwd, client.environment(), budget, callKey));
    }

    /** For the operator, who may use every agent everywhere, with other caps and these variables besides. */
    public Run free(
            Params params, Client client, Owner owner, Map<String, String> variables, Optional<String> callKey) {
        var home = client.home(owner);
        var cwd = params.text("cwd").isEmpty() ? home : home.resolve(params.path("cwd"));
        var environment = new TreeMap<>(client.environment());
        environment.putAll(variables);
        var agent = params.text("agent").orElseGet(() -> house.agents(cwd).usual());
        return house.start(request(params, client, owner, agent, cwd, environment, params.budget(), callKey));
    }

    private static StartRequest request(
            Params params,
            Client client,
            Owner owner,
            String agent,
            Path cwd,
            Map<String, String> environment,
            Budget budget,
            Optional<String> callKey) {
        return new StartRequest(
                owner,
                agent,
                new Task(List.of(), Optional.of(params.required("prompt"))),
                params.text("name"),
                params.text("description").map(Words::printable),
                cwd,
                environment,
                "022",
                budget,
                params.resumesOnLoss(),
                client.origin(),
                new StartRequest.Terms(
                        params.text("notify").map(Notify::of).orElse(Notify.DONE),
                        callKey,
                        client.limits().launcher(),
                        isolated(params),
                        params.texts("on"),
                        client.limits().maxLive()));
    }

    private static boolean isolated(Params params) {
        return switch (params.text("isolation").orElse("none")) {
            case "none" -> false;
            case "worktree" -> true;
            default -> throw new BadInput("bad_field", "Unknown isolation.", "Pass none or worktree.");
        };
    }

    /** Inside the owner's own directory, whatever links say. */
    private static Path directory(Params params, Client client, Owner owner) {
        var home = client.home(owner);
        if (params.text("cwd").isEmpty()) return home;
        var wanted = client.limits().paths().outside(params.path("cwd"));
        var cwd = home.resolve(wanted);
        try {
            if (cwd.toRealPath().startsWith(home.toRealPath())) return cwd.toRealPath();
        } catch (IOException e) {
            throw new BadInput(
                    "no_such_directory",
                    "There is no directory \"%s\".".formatted(Words.printable(params.required("cwd"))),
                    "Pass one inside the project, or omit cwd.");
        }
        throw new Refused(
                "outside_project",
                "\"%s\" is not inside this session's project, %s."
                        .formatted(
                                Words.printable(params.required("cwd")),
                                client.limits().paths().inside(home)),
                "Pass a directory inside it, or omit cwd.");
    }
}
