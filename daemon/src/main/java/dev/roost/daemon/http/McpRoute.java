package dev.roost.daemon.http;

import dev.roost.daemon.mcp.Client;
import dev.roost.daemon.mcp.Dialect;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.house.House;
import dev.roost.run.BadInput;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Streamable HTTP of the Model Context Protocol, without sessions: a restart of the daemon is invisible. */
record McpRoute(House house, McpServer server) {

    void serve(Visit visit, Bearer bearer) throws IOException, InterruptedException {
        visit.only("POST");
        checkRevision(visit);
        var dialect = Dialect.of(visit.query("dialect").or(() -> visit.header("Roost-Dialect")));
        var message = visit.json();
        if (!isRequest(message)) {
            visit.accepted();
            return;
        }
        boolean streams = message.path("method").asString("").equals("tools/call") && takesEvents(visit);
        var client = new TokenClient(house, bearer, visit, streams);
        if (streams) stream(visit, message, client, dialect);
        else {
            var reply = server.answer(message, client, dialect, _ -> {}).orElseThrow();
            visit.answer(200, reply.json(), reply.afterwards());
        }
    }

    private static void checkRevision(Visit visit) {
        var revision = visit.header("MCP-Protocol-Version");
        if (revision.isEmpty() || McpServer.speaks(revision.get())) return;
        throw new BadInput(
                "unknown_revision",
                "The header MCP-Protocol-Version names no revision that is spoken here.",
                "Send the one that initialize answered with.");
    }

    /** Whether it wants an answer; notifications and answers do not. */
    private static boolean isRequest(JsonNode message) {
        if (message.isArray()) {
            throw new BadInput("no_batches", "The body is a batch.", "Send one message a request.");
        }
        if (message.path("method").isString()) return message.hasNonNull("id");
        if (message.has("result") || message.has("error")) return false;
        throw new BadInput("bad_request", "The message names no method.", "Send {\"jsonrpc\", \"id\", \"method\"}.");
    }

    private static boolean takesEvents(Visit visit) {
        return String.join(",", visit.headers("Accept")).contains("text/event-stream");
    }

    private void stream(Visit visit, JsonNode message, Client client, Dialect dialect)
            throws IOException, InterruptedException {
        try (var events = visit.events()) {
            events.beat();
            var reply = server.answer(message, client, dialect, events::message).orElseThrow();
            events.last(reply.json());
            reply.afterwards().run();
        }
    }
}
