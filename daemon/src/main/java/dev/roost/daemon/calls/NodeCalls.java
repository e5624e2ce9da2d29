package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.Peer;
import dev.roost.run.Refused;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** The machines of a cluster: the operator's matter alone. */
public record NodeCalls(House house) {

    public Call list() {
        return Call.of((_, caller) -> list(caller));
    }

    public Call drain() {
        return Call.of(this::drain, Field.text("node"), Field.flag("move"));
    }

    public Call resume() {
        return Call.of(this::resume, Field.text("node"));
    }

    public Call forget() {
        return Call.of(this::forget, Field.text("node"));
    }

    private Reply list(Caller caller) {
        operatorsOnly(caller);
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("nodes");
        house.nodes().list().forEach(peer -> list.add(json(peer)));
        return new Reply(answer);
    }

    private Reply drain(Params params, Caller caller) {
        operatorsOnly(caller);
        return new Reply(json(house.nodes().drain(params.text("node"), params.flag("move"))));
    }

    private Reply resume(Params params, Caller caller) {
        operatorsOnly(caller);
        return new Reply(json(house.nodes().resume(params.required("node"))));
    }

    private Reply forget(Params params, Caller caller) {
        operatorsOnly(caller);
        return new Reply(json(house.nodes().forget(params.required("node"))));
    }

    private static void operatorsOnly(Caller caller) {
        if (!caller.operator())
            throw new Refused(
                    "operator_only", "Only the operator may do this.", "Do it from a plain shell, outside of a run.");
    }

    private static ObjectNode json(Peer peer) {
        var json = Json.MAPPER.createObjectNode();
        json.put("node", peer.name())
                .put("state", peer.state().word())
                .put("moving", peer.moves())
                .put("runs", peer.running())
                .put("slots", peer.slots())
                .put("version", peer.version())
                .put("heard_at", peer.heardAt().toString())
                .put("unheard_ms", peer.unheardFor().toMillis())
                .put("self", peer.self());
        new TreeSet<>(peer.labels()).forEach(json.putArray("labels")::add);
        return json;
    }
}
