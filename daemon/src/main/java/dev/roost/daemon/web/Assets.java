package dev.roost.daemon.web;

import dev.roost.daemon.tokens.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Style, script and icon of the page. Their addresses contain a hash of the content, so a browser may cache them forever. */
final class Assets {

    private final Map<String, Asset> byName = new HashMap<>();
    private final Map<String, Asset> byUrl = new HashMap<>();

    record Asset(String url, String type, String text) {}

    Assets() {
        add("roost.css", "roost.css");
        add("roost.js", "roost.js");
        add("roost.svg", "roost.svg");
        add("htmx.min.js", "/META-INF/resources/webjars/htmx.org/2.0.10/dist/htmx.min.js");
    }

    private void add(String name, String resource) {
        try (var in = Assets.class.getResourceAsStream(resource)) {
            if (in == null) throw new IllegalStateException("no asset " + resource);
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            var hash = new Secret(text).sha256().substring(0, 12);
            var asset = new Asset("/assets/%s/%s".formatted(hash, name), type(name), text);
            byName.put(name, asset);
            byUrl.put(asset.url(), asset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            default -> "image/svg+xml";
        };
    }

    String url(String name) {
        return Optional.ofNullable(byName.get(name)).orElseThrow().url();
    }

    Optional<Asset> at(String url) {
        return Optional.ofNullable(byUrl.get(url));
    }
}
