package dev.roost.daemon.rest;

import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import dev.roost.daemon.hooks.HookService;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.mcp.PathMap;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.node.ObjectNode;

/** {@code /hooks/<harness>/<event>}: what {@code roost hook} does. Who went before the answer was written has been offered nothing. */
record HookRoute(HookService hooks) {

    void serve(WebRequest request, Principal principal, String harness, String event) throws IOException {
        request.only("POST");
        if (!(request.json() instanceof ObjectNode input)) {
            throw new BadInput("bad_json", "The body is not a JSON object.", "Send the hook's input as it was.");
        }
        if (principal instanceof Principal.TokenPrincipal holder)
            outside(input, new PathMap(holder.scope().paths()));
        var answer =
                hooks.handle(harness, event, input.toString(), Optional.empty(), principal.requestedOwner(request));
        var taken = new AtomicBoolean();
        try {
            request.answer(200, answer.json(), () -> taken.set(true));
        } finally {
            (taken.get() ? answer.onDelivered() : answer.onUndelivered()).run();
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
                    "The field cwd, \"%s\", is no possible path.".formatted(TextFormat.printable(cwd.get())),
                    "Send it as it was.");
        }
    }
}
