package dev.roost.daemon.http;

import dev.roost.base.BadInput;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.model.Owner;
import java.util.Optional;
import java.util.function.Function;

/** Who was let in: the operator, or one who has a token for an owner. */
public sealed interface Principal {

    /** Which of all bearers. */
    String id();

    /** The only owner that this bearer may speak for, if it is not free to say. */
    Optional<Owner> boundOwner();

    /** Whom the request is for: the only one it can be for, whatever it says, or the one it says. */
    default Optional<Owner> requestedOwner(WebRequest request) {
        return boundOwner();
    }

    /** {@code naming}: who is meant by a name that is said on this machine. */
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

    /** For whom a call is. */
    default Owner owner(WebRequest request) {
        return requestedOwner(request)
                .orElseThrow(() -> new BadInput(
                        "missing_owner",
                        "The home's own token may act for anybody, and the request does not say for whom.",
                        "Send the header Roost-Owner: harness:id, or use a token made with `roost token create`."));
    }
}
