package dev.roost.daemon.web;

import dev.roost.base.Clock;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Signs a person's browser in: by a link that works once within a few minutes, and then by a cookie with a token. */
public final class SignIn {

    private static final Duration VALID_FOR = Duration.ofMinutes(5);
    private static final int MOST_OPEN = 100;

    private final TokenService tokens;
    private final Clock clock;
    private final Map<String, Long> codes = new HashMap<>();

    public SignIn(TokenService tokens, Clock clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    /** Creates a code that signs one browser in. The caller must have checked that a person asked for it. */
    public synchronized String code() {
        long now = clock.monotonicNanos();
        codes.values().removeIf(since -> now - since > VALID_FOR.toNanos());
        if (codes.size() >= MOST_OPEN) codes.clear();
        var code = Secret.create().text().substring("roost_".length());
        codes.put(code, now);
        return code;
    }

    /** The secret for the browser's cookie, if the code is valid and unused. */
    Optional<Secret> use(String code) {
        synchronized (this) {
            var since = codes.remove(code);
            if (since == null || clock.monotonicNanos() - since > VALID_FOR.toNanos()) return Optional.empty();
        }
        return Optional.of(tokens.createForPage().secret());
    }

    /** The valid page token with this cookie's secret. */
    Optional<TokenService.KnownToken> find(Secret secret) {
        return tokens.find(secret)
                .filter(known -> known.scope().page() && !known.token().expired(clock.now()));
    }

    /** Whether the token is still valid. */
    boolean isValid(TokenService.KnownToken known) {
        return tokens.isGood(known.token());
    }

    void forget(TokenService.KnownToken known) {
        tokens.revoke(known.token().id());
    }
}
