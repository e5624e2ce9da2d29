package dev.roost.daemon.rest;

import dev.roost.base.BadInput;
import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.WebRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Which route a request is for. */
record RouteTable(List<RestRoute> routes) {

    /** A route, and what the words in its path stand for. */
    record RouteMatch(RestRoute route, Map<String, String> values) {}

    RouteMatch find(WebRequest request) {
        var parts =
                List.of(request.rawPath().substring(RestApi.PREFIX.length() + 1).split("/", -1));
        var there = routes.stream()
                .flatMap(route -> values(route, parts).map(values -> new RouteMatch(route, values)).stream())
                .toList();
        if (there.isEmpty()) throw HttpRouter.nothingThere();
        var method = request.isHead() ? "GET" : request.method();
        return there.stream()
                .filter(found -> found.route.method().equals(method))
                .findFirst()
                .orElseThrow(() -> badMethod(there));
    }

    private static Optional<Map<String, String>> values(RestRoute route, List<String> parts) {
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

    private static HttpError badMethod(List<RouteMatch> there) {
        var allowed = new TreeSet<String>();
        for (var found : there) {
            allowed.add(found.route.method());
            if (found.route.method().equals("GET")) allowed.add("HEAD");
        }
        var words = String.join(", ", allowed);
        return new HttpError(
                405,
                new BadInput("bad_method", "This address does not take this method.", "Use %s.".formatted(words)),
                Map.of("Allow", words));
    }
}
