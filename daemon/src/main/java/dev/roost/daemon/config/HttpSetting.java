package dev.roost.daemon.config;

import dev.roost.daemon.wire.Loopback;
import java.util.Optional;

/** Where the daemon listens for HTTP: nowhere, where it is told to, or on a port that it chose once. */
public sealed interface HttpSetting {

    record Off() implements HttpSetting {}

    record At(Loopback address) implements HttpSetting {}

    record Chosen() implements HttpSetting {}

    static HttpSetting of(Settings settings) {
        Optional<String> text = settings.text("http");
        if (text.isEmpty()) return new Chosen();
        if (text.get().equals("off")) return new Off();
        return Loopback.parse(text.get(), 0)
                .<HttpSetting>map(At::new)
                .orElseThrow(() -> settings.wrong(
                        "http", "off, or an address that only this machine can reach, such as 127.0.0.1:7077"));
    }
}
