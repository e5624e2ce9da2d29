package dev.roost;

import dev.roost.run.Owner;
import java.util.Optional;

/** Who asks. The operator sees everything; an owner sees its own. */
public record Caller(Owner owner, boolean operator) {

    Optional<Owner> scope() {
        return operator ? Optional.empty() : Optional.of(owner);
    }

    String asActor() {
        return operator ? "operator" : owner.id();
    }
}
