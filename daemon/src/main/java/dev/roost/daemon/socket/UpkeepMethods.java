package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.house.Pruning;
import dev.roost.run.BadInput;
import dev.roost.run.Refused;
import dev.roost.run.Words;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What only the operator asks: pruning, a back-up, a diagnosis. */
final class UpkeepMethods {

    private static final Duration A_MONTH = Duration.ofDays(30);

    private final House house;
    private final Json json;

    UpkeepMethods(House house, Json json) {
        this.house = house;
        this.json = json;
    }

    static Params operators(@Nullable JsonNode given, String... known) {
        var params = Params.of(given, known);
        if (params.flag("operator")) return params;
        throw new Refused(
                "operator_only", "Only the operator may do this.", "Do it from a plain shell, outside of a run.");
    }

    Reply prune(@Nullable JsonNode given) {
        var params = operators(
                given, "caller", "operator", "older_than", "max_size", "unread", "unmerged", "kept", "dry_run");
        var size = params.text("max_size").map(text -> Words.size("max_size", text));
        var pruned = house.upkeep()
                .prune(new Pruning(
                        params.duration("older_than").orElse(A_MONTH),
                        size.isPresent() ? OptionalLong.of(size.get()) : OptionalLong.empty(),
                        params.flag("unread"),
                        params.flag("unmerged"),
                        params.flag("kept"),
                        params.flag("dry_run")));
        var answer = json.runs(pruned.runs(), Optional.empty());
        var worktrees = answer.putArray("worktrees");
        pruned.worktrees().forEach(run -> worktrees.add(json.run(run)));
        var left = answer.putArray("left");
        pruned.left().forEach(one -> left.add(json.run(one.run()).put("why", one.why())));
        var elsewhere = answer.putArray("elsewhere");
        for (var node : pruned.elsewhere())
            elsewhere
                    .addObject()
                    .put("node", node.node())
                    .put("runs", node.runs())
                    .put("why", node.why());
        return new Reply(answer.put("bytes", pruned.bytes()));
    }

    Reply doctor(@Nullable JsonNode given) {
        var params = operators(given, "caller", "operator", "fix");
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("findings");
        for (var finding : house.upkeep().examine(params.flag("fix"))) {
            var one = list.addObject();
            one.put("what", finding.what()).put("level", finding.level().word()).put("message", finding.message());
            finding.fix().ifPresent(fix -> one.put("fix", fix));
        }
        return new Reply(answer);
    }

    Reply backUp(@Nullable JsonNode given) {
        var params = operators(given, "caller", "operator", "file");
        var file = params.path("file");
        if (!file.isAbsolute()) throw new BadInput("bad_field", "The field file is not an absolute path.", "Pass one.");
        house.upkeep().backUp(file);
        return new Reply(Json.MAPPER.createObjectNode().put("file", file.toString()));
    }
}
