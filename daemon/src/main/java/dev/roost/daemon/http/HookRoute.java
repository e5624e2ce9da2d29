package dev.roost.daemon.http;

import dev.roost.daemon.hooks.Hooks;
import dev.roost.daemon.mcp.PathMap;
import dev.roost.run.BadInput;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.node.ObjectNode;

/** {@code /hooks/<harness>/<event>}: what {@code roost hook} does. Who went before the answer was written has been offered nothing. */
record HookRoute(Hooks hooks) {

    void serve(Visit visit, Bearer bearer, String harness, String event) throws IOException {
        visit.only("POST");
        if (!(visit.json() instanceof ObjectNode input)) {
            throw new BadInput("bad_json", "The body is not a JSON object.", "Send the hook's input as it was.");
        }
        if (bearer instanceof Bearer.Holder holder)
            outside(input, new PathMap(holder.scope().paths()));
        var answer = hooks.hear(harness, event, input.toString(), Optional.empty(), bearer.named(visit));
        var taken = new AtomicBoolean();
        try {
            visit.answer(200, answer.json(), () -> taken.set(true));
        } finally {
            (taken.get() ? answer.afterwards() : answer.otherwise()).run();
        }
    }

    /** The session says where it is in its own words. */
    private static void outside(ObjectNode input, PathMap paths) {
        var cwd = input.path("cwd").asStringOpt();
        if (cwd.isEmpty()) return;
        try {
            input.put("cwd", paths.outside(Path.of(cwd.get())).toString());
        } catch (InvalidPathException e) {
            throw new BadInput(
                    "bad_field",
                    "The field cwd, \"%s\", is no possible path.".formatted(Words.printable(cwd.get())),
                    "Send it as it was.");
        }
    }
}
