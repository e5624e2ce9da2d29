package dev.roost.daemon.http;

import dev.roost.run.BadInput;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Which route a request is for. */
record ApiTable(List<ApiRoute> routes) {

    /** A route, and what the words in its path stand for. */
    record Found(ApiRoute route, Map<String, String> values) {}

    Found find(Visit visit) {
        var parts = List.of(visit.rawPath().substring(Api.PREFIX.length() + 1).split("/", -1));
        var there = routes.stream()
                .flatMap(route -> values(route, parts).map(values -> new Found(route, values)).stream())
                .toList();
        if (there.isEmpty()) throw Router.nothingThere();
        var method = visit.isHead() ? "GET" : visit.method();
        return there.stream()
                .filter(found -> found.route.method().equals(method))
                .findFirst()
                .orElseThrow(() -> badMethod(there));
    }

    private static Optional<Map<String, String>> values(ApiRoute route, List<String> parts) {
        var wanted = route.parts();
        if (wanted.size() != parts.size()) return Optional.empty();
        var values = new LinkedHashMap<String, String>();
        for (int i = 0; i < parts.size(); i++) {
            var name = wanted.get(i);
            if (name.startsWith("{") && !parts.get(i).isEmpty())
                values.put(name.substring(1, name.length() - 1), decoded(parts.get(i)));
            else if (!name.equals(parts.get(i))) return Optional.empty();
        }
        return Optional.of(values);
    }

    /** In a path a plus is a plus. */
    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static Rejected badMethod(List<Found> there) {
        var allowed = new TreeSet<String>();
        for (var found : there) {
            allowed.add(found.route.method());
            if (found.route.method().equals("GET")) allowed.add("HEAD");
        }
        var words = String.join(", ", allowed);
        return new Rejected(
                405,
                new BadInput("bad_method", "This address does not take this method.", "Use %s.".formatted(words)),
                Map.of("Allow", words));
    }
}
