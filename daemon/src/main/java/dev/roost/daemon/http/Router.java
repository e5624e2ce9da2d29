package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.RoostError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** What is where. */
final class Router implements HttpHandler {

    private static final System.Logger LOG = System.getLogger(Router.class.getName());
    private static final Pattern HOOK = Pattern.compile("/hooks/([^/]+)/([^/]+)");

    private final Door door;
    private final McpRoute mcp;
    private final HookRoute hooks;
    private final MetersRoute meters;
    private final Api api;
    private final Pages pages;
    private final Patience patience;

    Router(Door door, McpRoute mcp, HookRoute hooks, MetersRoute meters, Api api, Pages pages, Patience patience) {
        this.door = door;
        this.mcp = mcp;
        this.hooks = hooks;
        this.meters = meters;
        this.api = api;
        this.pages = pages;
        this.patience = patience;
    }

    @Override
    public void handle(HttpExchange exchange) {
        try (var visit = new Visit(exchange, patience)) {
            try {
                serve(visit);
            } catch (Rejected e) {
                visit.answer(e);
            } catch (RoostError e) {
                visit.answer(Rejected.of(e));
            } catch (RuntimeException e) {
                if (Thread.currentThread().isInterrupted()) throw new InterruptedException("the daemon ends");
                LOG.log(System.Logger.Level.ERROR, "a request failed", e);
                visit.answer(Rejected.of(
                        new Broken("internal", "Roost made a mistake.", "logs/daemon.0.log in the home says which.")));
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client went away before its answer", e);
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a call is not waited for any more; its run goes on");
        }
    }

    /** What is not here is not here for anybody: clients look for things (OAuth, say) before they have a token. */
    private void serve(Visit visit) throws IOException, InterruptedException {
        door.checkNeighbourhood(visit);
        var hook = HOOK.matcher(visit.path());
        switch (visit.path()) {
            case "/healthz" -> {
                visit.only("GET", "HEAD");
                visit.answer(200, "text/plain", "ok".getBytes(StandardCharsets.UTF_8));
            }
            case "/readyz" -> meters.ready(visit);
            case "/metrics" -> {
                door.openForMeters(visit);
                meters.meters(visit);
            }
            case "/mcp" -> mcp.serve(visit, door.open(visit));
            default -> {
                if (visit.rawPath().startsWith(Api.PREFIX + "/")) {
                    api.serve(visit, door);
                    return;
                }
                if (pages.has(visit.path())) {
                    pages.serve(visit);
                    return;
                }
                if (!hook.matches()) throw nothingThere();
                hooks.serve(visit, door.open(visit), hook.group(1), hook.group(2));
            }
        }
    }

    static Rejected nothingThere() {
        return new Rejected(
                404,
                new BadInput(
                        "no_such_route", "There is nothing at this address.", "docs/protocol.md lists the routes."));
    }
}
