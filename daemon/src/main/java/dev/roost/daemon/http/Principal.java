package dev.roost.daemon.http;

import dev.roost.base.BadInput;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.model.Owner;
import java.util.Optional;
import java.util.function.Function;

/** The authenticated sender of a request: the operator, or the holder of an owner's token. */
public sealed interface Principal {

    /** Identifies the principal. */
    String id();

    /** The only owner that this principal may act for; empty if it may act for any. */
    Optional<Owner> boundOwner();

    /** The owner of the request: the bound owner, else the one that the request names. */
    default Optional<Owner> requestedOwner(WebRequest request) {
        return boundOwner();
    }

    /** {@code naming}: resolves the name of an owner. */
    record OperatorPrincipal(Function<String, Owner> naming) implements Principal {
        @Override
        public String id() {
            return "operator";
        }

        @Override
        public Optional<Owner> boundOwner() {
            return Optional.empty();
        }

        @Override
        public Optional<Owner> requestedOwner(WebRequest request) {
            return request.header("Roost-Owner").map(naming);
        }
    }

    record TokenPrincipal(TokenService.KnownToken known) implements Principal {
        @Override
        public String id() {
            return known.token().id();
        }

        @Override
        public Optional<Owner> boundOwner() {
            return Optional.of(known.token().owner());
        }

        public TokenScope scope() {
            return known.scope();
        }
    }

    /** The owner of the request; refuses a request without one. */
    default Owner owner(WebRequest request) {
        return requestedOwner(request)
                .orElseThrow(() -> new BadInput(
                        "missing_owner",
                        "The home's own token may act for every owner, and the request names none.",
                        "Send the header Roost-Owner: harness:id, or use a token made with `roost token create`."));
    }
}
