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

/** Finds the route of a request. */
record RouteTable(List<RestRoute> routes) {

    /** A route, and the values of the placeholders in its path. */
    record RouteMatch(RestRoute route, Map<String, String> values) {}

    RouteMatch find(WebRequest request) {
        var parts =
                List.of(request.rawPath().substring(RestApi.PREFIX.length() + 1).split("/", -1));
        var matches = routes.stream()
                .flatMap(route -> values(route, parts).map(values -> new RouteMatch(route, values)).stream())
                .toList();
        if (matches.isEmpty()) throw HttpRouter.noSuchRoute();
        var method = request.isHead() ? "GET" : request.method();
        return matches.stream()
                .filter(found -> found.route.method().equals(method))
                .findFirst()
                .orElseThrow(() -> badMethod(matches));
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

    /** Decodes a part of a path. Unlike in a query, a plus sign is not a space. */
    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static HttpError badMethod(List<RouteMatch> matches) {
        var allowed = new TreeSet<String>();
        for (var found : matches) {
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
