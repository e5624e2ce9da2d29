package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.run.BadInput;
import dev.roost.run.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What is waiting to be told, and that it was. */
public record NoticeCalls(House house, Json json) {

    private static final Pattern NOTICE = Pattern.compile("n_(\\d{1,15})");

    public NoticeCalls(House house) {
        this(house, new Json(house));
    }

    public Call inbox() {
        return Call.of(
                (params, caller) ->
                        new Reply(json.notices(house.inbox(params.text("owner").map(house::owner), caller))),
                Field.text("owner"));
    }

    public Call acknowledge() {
        return Call.of(this::acknowledge, Field.texts("notice_ids"));
    }

    private Reply acknowledge(Params params, Caller caller) {
        var ids = new ArrayList<Long>();
        for (var text : params.texts("notice_ids")) {
            var id = NOTICE.matcher(text);
            if (!id.matches()) {
                throw new BadInput(
                        "bad_notice",
                        "\"%s\" is not the id of a notice.".formatted(Words.printable(text)),
                        "`roost inbox` lists them; they look like n_12.");
            }
            ids.add(Long.parseLong(id.group(1)));
        }
        List<Long> acknowledged = house.acknowledge(ids, caller);
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("acknowledged");
        acknowledged.forEach(id -> list.add("n_" + id));
        return new Reply(answer);
    }
}
