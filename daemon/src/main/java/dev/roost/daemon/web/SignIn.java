package dev.roost.daemon.web;

import dev.roost.base.Clock;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Lets a person's browser in: by a link that works once, for a few minutes, and then by a cookie that is a token. */
public final class SignIn {

    private static final Duration GOOD_FOR = Duration.ofMinutes(5);
    private static final int MOST_OPEN = 100;

    private final TokenService tokens;
    private final Clock clock;
    private final Map<String, Long> codes = new HashMap<>();

    public SignIn(TokenService tokens, Clock clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    /** A code that opens the page once. A person asked for it: the caller has seen to that. */
    public synchronized String code() {
        long now = clock.monotonicNanos();
        codes.values().removeIf(since -> now - since > GOOD_FOR.toNanos());
        if (codes.size() >= MOST_OPEN) codes.clear();
        var code = Secret.create().text().substring("roost_".length());
        codes.put(code, now);
        return code;
    }

    /** The secret for the browser's cookie, if the code is one that was given and nobody has used yet. */
    Optional<Secret> use(String code) {
        synchronized (this) {
            var since = codes.remove(code);
            if (since == null || clock.monotonicNanos() - since > GOOD_FOR.toNanos()) return Optional.empty();
        }
        return Optional.of(tokens.createForPage().secret());
    }

    /** Who is let in by this cookie. */
    Optional<TokenService.KnownToken> known(Secret secret) {
        return tokens.find(secret)
                .filter(known -> known.scope().page() && !known.token().expired(clock.now()));
    }

    /** Whether that is still so. */
    boolean isKnown(TokenService.KnownToken known) {
        return tokens.isGood(known.token());
    }

    void forget(TokenService.KnownToken known) {
        tokens.revoke(known.token().id());
    }
}
