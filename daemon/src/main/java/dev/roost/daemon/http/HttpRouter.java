package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Passes each HTTP request to its route, and turns exceptions into error answers. */
record HttpRouter(Authenticator authenticator, List<HttpRoute> routes, StalledClientGuard stallGuard)
        implements HttpHandler {

    private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());

    @Override
    public void handle(HttpExchange exchange) {
        try (var request = new WebRequest(exchange, stallGuard)) {
            try {
                serve(request);
            } catch (HttpError e) {
                request.answer(e);
            } catch (RoostError e) {
                request.answer(new HttpError(e));
            } catch (RuntimeException e) {
                if (Thread.currentThread().isInterrupted()) throw new InterruptedException("the daemon is stopping");
                LOG.log(System.Logger.Level.ERROR, "a request failed", e);
                request.answer(new HttpError(ErrorCode.INTERNAL.error("Roost made a mistake.")));
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
        if (request.path().equals("/healthz")) {
            request.only("GET", "HEAD");
            request.answer(200, "text/plain", "ok".getBytes(StandardCharsets.UTF_8));
            return;
        }
        routes.stream()
                .filter(route -> route.matches(request))
                .findFirst()
                .orElseThrow(HttpError::notFound)
                .serve(request, authenticator);
    }
}
