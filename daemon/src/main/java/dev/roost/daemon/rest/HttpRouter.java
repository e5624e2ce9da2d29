package dev.roost.daemon.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.roost.base.BadInput;
import dev.roost.base.Broken;
import dev.roost.base.RoostError;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.PageHandler;
import dev.roost.daemon.http.StalledClientGuard;
import dev.roost.daemon.http.WebRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Routes each HTTP request to its handler, and turns exceptions into error answers. */
final class HttpRouter implements HttpHandler {

    private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());
    private static final Pattern HOOK = Pattern.compile("/hooks/([^/]+)/([^/]+)");

    private final Authenticator authenticator;
    private final McpRoute mcp;
    private final HookRoute hooks;
    private final MetricsRoute meters;
    private final RestApi api;
    private final PageHandler pages;
    private final StalledClientGuard stallGuard;

    HttpRouter(
            Authenticator authenticator,
            McpRoute mcp,
            HookRoute hooks,
            MetricsRoute meters,
            RestApi api,
            PageHandler pages,
            StalledClientGuard stallGuard) {
        this.authenticator = authenticator;
        this.mcp = mcp;
        this.hooks = hooks;
        this.meters = meters;
        this.api = api;
        this.pages = pages;
        this.stallGuard = stallGuard;
    }

    @Override
    public void handle(HttpExchange exchange) {
        try (var request = new WebRequest(exchange, stallGuard)) {
            try {
                serve(request);
            } catch (HttpError e) {
                request.answer(e);
            } catch (RoostError e) {
                request.answer(HttpError.of(e));
            } catch (RuntimeException e) {
                if (Thread.currentThread().isInterrupted()) throw new InterruptedException("the daemon is stopping");
                LOG.log(System.Logger.Level.ERROR, "a request failed", e);
                request.answer(HttpError.of(new Broken(
                        "internal", "Roost made a mistake.", "logs/daemon.0.log in the home has the details.")));
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client disconnected before its answer", e);
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client no longer waits for its call; the run goes on");
        }
    }

    /** Answers 404 before it asks for a token: clients probe addresses (for OAuth, say) before they have one. */
    private void serve(WebRequest request) throws IOException, InterruptedException {
        authenticator.checkHostAndOrigin(request);
        var hook = HOOK.matcher(request.path());
        switch (request.path()) {
            case "/healthz" -> {
                request.only("GET", "HEAD");
                request.answer(200, "text/plain", "ok".getBytes(StandardCharsets.UTF_8));
            }
            case "/readyz" -> meters.ready(request);
            case "/metrics" -> {
                authenticator.authenticateForMetrics(request);
                meters.meters(request);
            }
            case "/mcp" -> mcp.serve(request, authenticator.authenticate(request));
            default -> {
                if (request.rawPath().startsWith(RestApi.PREFIX + "/")) {
                    api.serve(request, authenticator);
                    return;
                }
                if (pages.has(request.path())) {
                    pages.serve(request);
                    return;
                }
                if (!hook.matches()) throw noSuchRoute();
                hooks.serve(request, authenticator.authenticate(request), hook.group(1), hook.group(2));
            }
        }
    }

    static HttpError noSuchRoute() {
        return new HttpError(
                404,
                new BadInput(
                        "no_such_route", "There is nothing at this address.", "docs/protocol.md lists the routes."));
    }
}
