package dev.roost.daemon.web;

import dev.roost.base.BadInput;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The fields of a submitted form. */
record Form(Map<String, String> fields) {

    static Form read(String body) {
        var fields = new HashMap<String, String>();
        for (var pair : body.split("&", -1)) {
            if (pair.isEmpty()) continue;
            int equals = pair.indexOf('=');
            if (equals < 0) throw malformed();
            try {
                var name = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
                fields.put(name, URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                throw malformed();
            }
        }
        return new Form(fields);
    }

    private static BadInput malformed() {
        return new BadInput("bad_form", "The form is malformed.", "Load the page again and send it again.");
    }

    /** Refuses all other fields. */
    Form only(String... names) {
        if (List.of(names).containsAll(fields.keySet())) return this;
        throw new BadInput("unknown_field", "The form has an unknown field.", "Load the page again.");
    }

    String required(String name) {
        return Optional.ofNullable(fields.get(name))
                .map(text -> text.replace("\r\n", "\n"))
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> new BadInput(
                        "missing_field", "The field %s is empty.".formatted(name), "Fill it in and send it again."));
    }
}
