package dev.roost.daemon.mcp;

import dev.roost.daemon.api.CallerLimits;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.RequestLimits;
import dev.roost.daemon.http.WebRequest;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.SessionEvent;
import dev.roost.service.RoostService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A client that calls tools over HTTP. It is known only by its token and the headers of each request. {@code directory}: the one
 * that they name. {@code streams}: it takes messages before the answer.
 */
record TokenClient(RoostService service, CallerLimits limits, Optional<Path> directory, boolean streams)
        implements ToolClient {

    private static final Duration TIMEOUT_WITHOUT_PROGRESS = Duration.ofSeconds(50); // proxies often wait for a minute
    private static final Duration TIMEOUT_WITH_PROGRESS = Duration.ofHours(1);

    static TokenClient of(RoostService service, Principal principal, WebRequest request, boolean streams) {
        return new TokenClient(
                service,
                RequestLimits.of(service, principal, principal.owner(request), request),
                RequestLimits.directory(principal, request),
                streams);
    }

    @Override
    public String harness() {
        return limits.harness();
    }

    @Override
    public CallerLimits limits(Optional<String> session, String requestId) {
        var owner = limits.caller().owner();
        if (service.sessions().find(owner).isEmpty()) {
            service.sessions()
                    .record(new SessionReport(
                            owner,
                            harness(),
                            directory.map(Path::toString),
                            Optional.empty(),
                            new SessionEvent.SessionSeen()));
        }
        return limits;
    }

    @Override
    public Duration patience(boolean hearsProgress) {
        return streams && hearsProgress ? TIMEOUT_WITH_PROGRESS : TIMEOUT_WITHOUT_PROGRESS;
    }
}
