package dev.roost.daemon.hooks;

import dev.roost.daemon.api.PathMap;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.http.WebRequest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/** {@code /hooks/<harness>/<event>}: {@code roost hook} over HTTP. An answer that cannot be written cancels its offer. */
public record HookRoute(HookService hooks) implements HttpRoute {

    private static final Pattern PATH = Pattern.compile("/hooks/([^/]+)/([^/]+)");

    @Override
    public boolean matches(WebRequest request) {
        return PATH.matcher(request.path()).matches();
    }

    @Override
    public void serve(WebRequest request, Authenticator authenticator) throws IOException {
        var principal = authenticator.authenticate(request);
        request.only("POST");
        var input = WebRequest.object(request.body());
        if (principal.scope().isPresent() && input.path("cwd").isString()) { // a path inside the session's container
            var paths = new PathMap(principal.scope().get().paths());
            input.put(
                    "cwd",
                    paths.outside(RequestFields.checked(input).path("cwd")).toString());
        }
        var path = PATH.matcher(request.path());
        if (!path.matches()) throw HttpError.notFound();
        var answer = hooks.handle(
                path.group(1), path.group(2), input.toString(), Optional.empty(), principal.requestedOwner(request));
        var written = new AtomicBoolean();
        try {
            request.answer(200, answer.json(), () -> written.set(true));
        } finally {
            (written.get() ? answer.onDelivered() : answer.onUndelivered()).run();
        }
    }
}
