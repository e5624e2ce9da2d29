package dev.roost.daemon.rest;

import dev.roost.base.BadInput;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.mcp.Dialect;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.mcp.ToolClient;
import dev.roost.service.RoostService;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Streamable HTTP of the Model Context Protocol, without sessions, so that a client does not notice a daemon's restart. */
record McpRoute(RoostService service, McpServer server) {

    void serve(WebRequest request, Principal principal) throws IOException, InterruptedException {
        request.only("POST");
        checkRevision(request);
        var dialect = Dialect.of(request.query("dialect").or(() -> request.header("Roost-Dialect")));
        var message = request.json();
        if (!isRequest(message)) {
            request.answerAccepted();
            return;
        }
        boolean streams = message.path("method").asString("").equals("tools/call") && takesEvents(request);
        var client = new TokenClient(service, principal, request, streams);
        if (streams) stream(request, message, client, dialect);
        else {
            var reply = server.answer(message, client, dialect, _ -> {}).orElseThrow();
            request.answer(200, reply.json(), reply.onDelivered());
        }
    }

    private static void checkRevision(WebRequest request) {
        var revision = request.header("MCP-Protocol-Version");
        if (revision.isEmpty() || McpServer.speaks(revision.get())) return;
        throw new BadInput(
                "unknown_revision",
                "The header MCP-Protocol-Version names an unsupported revision.",
                "Send the revision that initialize returned.");
    }

    /** Whether the message needs an answer; notifications and answers do not. */
    private static boolean isRequest(JsonNode message) {
        if (message.isArray()) {
            throw new BadInput("no_batches", "The body is a batch.", "Send one message a request.");
        }
        if (message.path("method").isString()) return message.hasNonNull("id");
        if (message.has("result") || message.has("error")) return false;
        throw new BadInput("bad_request", "The message names no method.", "Send {\"jsonrpc\", \"id\", \"method\"}.");
    }

    private static boolean takesEvents(WebRequest request) {
        return String.join(",", request.headers("Accept")).contains("text/event-stream");
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
