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

/** {@code /hooks/<harness>/<event>}: {@code roost hook} over HTTP. An answer that cannot be written cancels its offer. */
record HookRoute(HookService hooks) {

    void serve(WebRequest request, Principal principal, String harness, String event) throws IOException {
        request.only("POST");
        if (!(request.json() instanceof ObjectNode input)) {
            throw new BadInput("bad_json", "The body is not a JSON object.", "Send the hook's input unchanged.");
        }
        if (principal instanceof Principal.TokenPrincipal holder)
            translateCwd(input, new PathMap(holder.scope().paths()));
        var answer =
                hooks.handle(harness, event, input.toString(), Optional.empty(), principal.requestedOwner(request));
        var written = new AtomicBoolean();
        try {
            request.answer(200, answer.json(), () -> written.set(true));
        } finally {
            (written.get() ? answer.onDelivered() : answer.onUndelivered()).run();
        }
    }

    /** Replaces the path inside the session's container by the path outside of it. */
    private static void translateCwd(ObjectNode input, PathMap paths) {
        var cwd = input.path("cwd").asStringOpt();
        if (cwd.isEmpty()) return;
        try {
            input.put("cwd", paths.outside(Path.of(cwd.get())).toString());
        } catch (InvalidPathException e) {
            throw new BadInput(
                    "bad_field",
                    "The field cwd, \"%s\", is not a valid path.".formatted(TextFormat.printable(cwd.get())),
                    "Send it unchanged.");
        }
    }
}
