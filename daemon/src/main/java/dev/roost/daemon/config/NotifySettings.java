package dev.roost.daemon.config;

import dev.roost.base.BadInput;
import dev.roost.daemon.api.LoopbackAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code [notify]}: the channels for notices besides sessions, and how long a failing delivery is retried. */
public record NotifySettings(List<String> command, Optional<Webhook> webhook, Duration giveUp) {

    public static final String ON_NOTICE = "on_notice";
    public static final String WEBHOOK = "webhook";

    static final String TABLE = "notify";

    private static final String SECRET = "webhook_secret_file";

    public static final NotifySettings NONE = new NotifySettings(List.of(), Optional.empty(), Duration.ofDays(1));

    /** The address of the webhook, and the file with the secret that signs each request. */
    public record Webhook(URI address, SecretFile secret) {}

    /** The channels' names in the ledger. */
    public Set<String> channels() {
        var channels = new HashSet<String>();
        if (!command.isEmpty()) channels.add(ON_NOTICE);
        if (webhook.isPresent()) channels.add(WEBHOOK);
        return channels;
    }

    static NotifySettings of(SettingsTable table) {
        var command = table.texts(ON_NOTICE);
        if (table.has(ON_NOTICE) && (command.isEmpty() || command.getFirst().isBlank()))
            throw table.wrong(ON_NOTICE, "a list of a program and its arguments");
        var secret = table.text(SECRET).map(Path::of);
        if (secret.isPresent() && !secret.get().isAbsolute()) throw table.wrong(SECRET, "an absolute path");
        return new NotifySettings(
                List.copyOf(command),
                table.text(WEBHOOK).map(text -> webhook(table, text, secret)),
                table.duration("give_up").orElse(NONE.giveUp));
    }

    private static Webhook webhook(SettingsTable table, String text, Optional<Path> file) {
        var secret = file.map(SecretFile::new)
                .orElseThrow(() -> table.wrong(
                        WEBHOOK,
                        "complete without %s, a file with a secret to sign with".formatted(table.full(SECRET))));
        try {
            var _ = secret.read(); // an error is reported now instead of at the first notice
        } catch (BadInput e) {
            throw table.withLocation(SECRET, e);
        }
        return new Webhook(address(table, text), secret);
    }

    private static URI address(SettingsTable table, String text) {
        try {
            var address = new URI(text);
            if (address.getHost() != null && address.getRawUserInfo() == null && isProtected(address)) return address;
        } catch (URISyntaxException e) {
            // reported below
        }
        throw table.wrong(WEBHOOK, "an address like https://example.org/path (http on this machine only)");
    }

    /** Whether the connection cannot be read or changed on the network: https, or http on this machine. */
    private static boolean isProtected(URI address) {
        if ("https".equalsIgnoreCase(address.getScheme())) return true;
        return "http".equalsIgnoreCase(address.getScheme())
                && LoopbackAddress.parse(address.getHost(), 80).isPresent();
    }
}
