package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.model.Budget;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a request. Each is read with its type; an invalid one is refused by name. */
public final class RequestFields {

    private static final Duration LONGEST_TIME = Duration.ofDays(365);

    private final @Nullable JsonNode json;

    private RequestFields(@Nullable JsonNode json) {
        this.json = json;
    }

    /** Fields whose names were checked before, or do not matter. */
    public static RequestFields checked(ObjectNode json) {
        return new RequestFields(json);
    }

    /** Refuses every field that is not among {@code known}. */
    public static RequestFields of(@Nullable JsonNode json, String... known) {
        if (json != null && !json.isObject()) {
            throw ErrorCode.BAD_PARAMS.error("The params are not an object.");
        }
        var unknown = new TreeSet<String>();
        if (json != null) unknown.addAll(json.propertyNames());
        Set.of(known).forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw ErrorCode.UNKNOWN_FIELD.error(
                    "Unknown field: %s.".formatted(TextFormat.printable(String.join(", ", unknown))),
                    "Known fields: %s.".formatted(String.join(", ", known)));
        }
        return new RequestFields(json);
    }

    private Optional<JsonNode> field(String name) {
        var value = json == null ? null : json.get(name);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
    }

    private static RoostError wrong(String name, String expected) {
        return ErrorCode.BAD_FIELD.error("The field %s is not %s.".formatted(name, expected));
    }

    public Optional<String> text(String name) {
        return field(name).map(value -> {
            if (!value.isString()) throw wrong(name, "a string");
            return validText(name, value);
        });
    }

    /** Refuses unpaired surrogates: JSON can contain them, but UTF-8 cannot, and neither can files or the ledger. */
    private static String validText(String name, JsonNode value) {
        String text = value.asString();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) throw wrong(name, "valid Unicode text");
        return text;
    }

    public String required(String name) {
        return text(name).orElseThrow(() -> ErrorCode.MISSING_FIELD.error("The field %s is missing.".formatted(name)));
    }

    public Path path(String name) {
        String text = required(name);
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw ErrorCode.BAD_FIELD.error(
                    "The field %s, \"%s\", is not a valid path.".formatted(name, TextFormat.printable(text)));
        }
    }

    public boolean flag(String name) {
        return field(name)
                .map(value -> {
                    if (!value.isBoolean()) throw wrong(name, "true or false");
                    return value.asBoolean();
                })
                .orElse(false);
    }

    public Optional<Long> number(String name) {
        return field(name).map(value -> {
            if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
                throw wrong(name, "a whole number");
            }
            return value.asLong();
        });
    }

    public Optional<Long> atLeastOne(String name) {
        return number(name).map(value -> {
            if (value < 1 || value > Integer.MAX_VALUE) throw wrong(name, "a whole number of at least 1");
            return value;
        });
    }

    /** An amount of dollars, in millionths. */
    public Optional<Long> dollars(String name) {
        return field(name).map(value -> {
            double dollars = value.isNumber() ? value.asDouble() : -1;
            if (!(dollars >= 0.000001 && dollars < 1e6)) throw wrong(name, "an amount of dollars like 2.50");
            return Math.round(dollars * 1e6);
        });
    }

    /** The budget in the request. */
    public Budget budget() {
        return new Budget(
                duration("max_time").map(RequestFields::checkDuration),
                atLeastOne("max_tokens"),
                dollars("max_cost_usd"),
                atLeastOne("max_turns").map(Math::toIntExact),
                Long.MAX_VALUE);
    }

    private static Duration checkDuration(Duration time) {
        if (!time.isZero() && time.compareTo(LONGEST_TIME) <= 0) return time;
        throw ErrorCode.BAD_DURATION.error(
                "max_time=%s is not between 1 millisecond and %d days."
                        .formatted(TextFormat.span(time), LONGEST_TIME.toDays()),
                "Pass one like 30m, or omit it for no limit.");
    }

    /** {@code on_loss}: whether a lost run is resumed. */
    public Optional<Boolean> resumesOnLoss() {
        return text("on_loss").map(word -> switch (word) {
            case "resume" -> true;
            case "report" -> false;
            default ->
                throw ErrorCode.BAD_FIELD.error(
                        "on_loss=%s is neither resume nor report.".formatted(TextFormat.printable(word)),
                        "Pass one of the two.");
        });
    }

    /** A duration with its unit. */
    public Optional<Duration> duration(String name) {
        return field(name).map(value -> {
            if (value.isContainer()) throw wrong(name, "a duration like 30m");
            return TextFormat.duration(name, value.asString());
        });
    }

    public List<String> texts(String name) {
        var texts = new ArrayList<String>();
        field(name).ifPresent(value -> {
            if (!value.isArray()) throw wrong(name, "a list of strings");
            for (var one : value) {
                if (!one.isString()) throw wrong(name, "a list of strings");
                texts.add(validText(name, one));
            }
        });
        return texts;
    }

    public Map<String, String> map(String name) {
        var map = new LinkedHashMap<String, String>();
        field(name).ifPresent(value -> {
            if (!value.isObject()) throw wrong(name, "an object of strings");
            for (var one : value.properties()) {
                if (!one.getValue().isString()) throw wrong(name, "an object of strings");
                map.put(one.getKey(), validText(name, one.getValue()));
            }
        });
        return map;
    }

    /** {@code timeout_ms}: milliseconds from 1000 up, or a string with its unit. A smaller number probably means seconds. */
    public Duration timeout(String name, Duration otherwise) {
        var value = field(name);
        if (value.isEmpty()) return otherwise;
        Duration timeout;
        if (value.get().isIntegralNumber() && value.get().canConvertToLong()) {
            long millis = value.get().asLong();
            if (millis >= 0 && millis < 1000) throw tooShort(name, millis);
            timeout = Duration.ofMillis(millis);
        } else if (value.get().isString()) {
            timeout = TextFormat.duration(name, value.get().asString());
        } else {
            throw wrong(name, "a number of milliseconds or a string like \"5m\"");
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw ErrorCode.TIMEOUT_OUT_OF_RANGE.error("%s=%s is not between 1 second and 1 hour."
                    .formatted(name, value.get().asString()));
        }
        return timeout;
    }

    private static RoostError tooShort(String name, long millis) {
        return ErrorCode.TIMEOUT_TOO_SHORT.error(
                "%s=%d is %.1f seconds, which is below the minimum of 1 second."
                        .formatted(name, millis, millis / 1000.0),
                "Pass %d, or \"%ds\".".formatted(millis * 1000, millis));
    }
}
