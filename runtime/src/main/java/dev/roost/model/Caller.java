package dev.roost.model;

import java.util.Optional;

/** Who asks. The operator sees everything; an owner sees its own. */
public record Caller(Owner owner, boolean operator) {

    /** Whether it is for this caller to ask about {@code whom}, or to act for them; naming nobody means oneself. */
    public boolean mayActFor(Optional<Owner> whom) {
        return operator || whom.isEmpty() || whom.get().equals(owner);
    }

    public Optional<Owner> scope() {
        return scope(Optional.empty());
    }

    /** Whose runs are meant by who asks for those of {@code asked}. */
    public Optional<Owner> scope(Optional<Owner> asked) {
        return operator ? asked : Optional.of(owner);
    }

    public String asActor() {
        return operator ? "operator" : owner.id();
    }
}
