package dev.roost.daemon.mcp;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.http.WebRequest;
import dev.roost.service.RoostService;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Streamable HTTP of the Model Context Protocol, without sessions, so that a client does not notice a daemon's restart. */
public record McpRoute(RoostService service, McpServer server) implements HttpRoute {

    @Override
    public boolean matches(WebRequest request) {
        return request.path().equals("/mcp");
    }

    @Override
    public void serve(WebRequest request, Authenticator authenticator) throws IOException, InterruptedException {
        var principal = authenticator.authenticate(request);
        request.only("POST");
        checkRevision(request);
        var dialect = Dialect.of(request.query("dialect").or(() -> request.header("Roost-Dialect")));
        var message = request.json();
        if (!isRequest(message)) {
            request.answerAccepted();
            return;
        }
        boolean streams = message.path("method").asString("").equals("tools/call") && request.takesEvents();
        var client = TokenClient.of(service, principal, request, streams);
        if (streams) stream(request, message, client, dialect);
        else {
            var reply = server.answer(message, client, dialect, _ -> {}).orElseThrow();
            request.answer(200, reply.json(), reply.onDelivered());
        }
    }

    private static void checkRevision(WebRequest request) {
        var revision = request.header("MCP-Protocol-Version");
        if (revision.isEmpty() || McpServer.speaks(revision.get())) return;
        throw ErrorCode.UNKNOWN_REVISION.error("The header MCP-Protocol-Version names an unsupported revision.");
    }

    /** Whether the message needs an answer; notifications and answers do not. */
    private static boolean isRequest(JsonNode message) {
        if (message.isArray()) {
            throw ErrorCode.NO_BATCHES.error("The body is a batch.");
        }
        if (message.path("method").isString()) return message.hasNonNull("id");
        if (message.has("result") || message.has("error")) return false;
        throw ErrorCode.BAD_REQUEST.error("The message names no method.", "Send {\"jsonrpc\", \"id\", \"method\"}.");
    }

    private void stream(WebRequest request, JsonNode message, ToolClient client, Dialect dialect)
            throws IOException, InterruptedException {
        try (var events = request.events()) {
            events.beat();
            var reply = server.answer(message, client, dialect, events::message).orElseThrow();
            events.last(reply.json());
            reply.onDelivered().run();
        }
    }
}
