package dev.roost.daemon.http;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.model.Owner;
import java.util.Optional;
import java.util.function.Function;

/**
 * The authenticated sender of a request: the holder of an owner's token, or without a token the operator. {@code naming}: resolves
 * the name of an owner.
 */
public record Principal(Optional<TokenService.KnownToken> token, Function<String, Owner> naming) {

    /** Identifies the principal. */
    public String id() {
        return token.map(known -> known.token().id()).orElse("operator");
    }

    /** The scope of the token; empty for the operator. */
    public Optional<TokenScope> scope() {
        return token.map(TokenService.KnownToken::scope);
    }

    /** The owner of the request: the token's owner, else the one that the request names. */
    public Optional<Owner> requestedOwner(WebRequest request) {
        return token.map(known -> known.token().owner())
                .or(() -> request.header("Roost-Owner").map(naming));
    }

    /** The owner of the request; refuses a request without one. */
    public Owner owner(WebRequest request) {
        return requestedOwner(request)
                .orElseThrow(() -> ErrorCode.MISSING_OWNER.error(
                        "The home's own token may act for every owner, and the request names none."));
    }
}
