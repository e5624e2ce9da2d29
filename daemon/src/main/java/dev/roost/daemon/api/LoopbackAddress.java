package dev.roost.daemon.api;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code host:port} of a loopback address. Host names are not resolved, because DNS servers control the result. */
public record LoopbackAddress(InetAddress address, int port) {

    private static final Pattern SHAPE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::(\\d{1,5}))?");

    /** Empty if the text is not a loopback address. */
    public static Optional<LoopbackAddress> parse(String text, int usualPort) {
        var shape = SHAPE.matcher(text.strip());
        if (!shape.matches()) return Optional.empty();
        int port = shape.group(2) == null ? usualPort : Integer.parseInt(shape.group(2));
        if (port < 1 || port > 65_535) return Optional.empty();
        return address(shape.group(1)).map(address -> new LoopbackAddress(address, port));
    }

    private static Optional<InetAddress> address(String host) {
        if (host.equalsIgnoreCase("localhost")) return Optional.of(InetAddress.ofLiteral("127.0.0.1"));
        try {
            var address = InetAddress.ofLiteral(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
            return address.isLoopbackAddress() ? Optional.of(address) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
