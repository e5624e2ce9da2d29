package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.model.Caller;
import dev.roost.service.RoostService;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Lists pending notices, and acknowledges them. */
public record NoticeOperations(RoostService service) {

    private static final Pattern NOTICE = Pattern.compile("n_(\\d{1,15})");

    public Operation inbox() {
        return Operation.of(
                (requestFields, caller) -> {
                    var owner = requestFields.text("owner").map(service::owner);
                    return new ApiReply(new RunJson(service).notices(service.inbox(owner, caller)));
                },
                FieldSpec.Kind.TEXT.named("owner"));
    }

    public Operation acknowledge() {
        return Operation.of(this::acknowledge, FieldSpec.Kind.TEXTS.named("notice_ids"));
    }

    private ApiReply acknowledge(RequestFields requestFields, Caller caller) {
        var ids = new ArrayList<Long>();
        for (var text : requestFields.texts("notice_ids")) {
            var id = NOTICE.matcher(text);
            if (!id.matches()) {
                throw ErrorCode.BAD_NOTICE.error(
                        "\"%s\" is not the id of a notice.".formatted(TextFormat.printable(text)));
            }
            ids.add(Long.parseLong(id.group(1)));
        }
        List<Long> acknowledged = service.acknowledge(ids, caller);
        var answer = RunJson.MAPPER.createObjectNode();
        var list = answer.putArray("acknowledged");
        acknowledged.forEach(id -> list.add("n_" + id));
        return new ApiReply(answer);
    }
}
