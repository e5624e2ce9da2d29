package dev.roost.daemon.http;

import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Scope;
import dev.roost.run.BadInput;
import dev.roost.run.Owner;
import java.util.Optional;
import java.util.function.Function;

/** Who was let in: the operator, or one who has a token for an owner. */
sealed interface Bearer {

    /** Which of all bearers. */
    String id();

    /** The only owner that this bearer may speak for, if it is not free to say. */
    Optional<Owner> whose();

    /** Whom the request is for: the only one it can be for, whatever it says, or the one it says. */
    default Optional<Owner> named(Visit visit) {
        return whose();
    }

    /** {@code naming}: who is meant by a name that is said on this machine. */
    record Operator(Function<String, Owner> naming) implements Bearer {
        @Override
        public String id() {
            return "operator";
        }

        @Override
        public Optional<Owner> whose() {
            return Optional.empty();
        }

        @Override
        public Optional<Owner> named(Visit visit) {
            return visit.header("Roost-Owner").map(naming);
        }
    }

    record Holder(Mint.Known known) implements Bearer {
        @Override
        public String id() {
            return known.token().id();
        }

        @Override
        public Optional<Owner> whose() {
            return Optional.of(known.token().owner());
        }

        Scope scope() {
            return known.scope();
        }
    }

    /** For whom a call is. */
    default Owner owner(Visit visit) {
        return named(visit)
                .orElseThrow(() -> new BadInput(
                        "missing_owner",
                        "The home's own token may act for anybody, and the request does not say for whom.",
                        "Send the header Roost-Owner: harness:id, or use a token made with `roost token create`."));
    }
}
