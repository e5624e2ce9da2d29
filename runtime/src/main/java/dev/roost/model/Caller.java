package dev.roost.model;

import java.util.Optional;

/** The caller of an operation. The operator sees all runs; an owner sees its own. */
public record Caller(Owner owner, boolean operator) {

    /** Whether this caller may read or act for {@code target}; empty means the caller itself. */
    public boolean mayActFor(Optional<Owner> target) {
        return operator || target.isEmpty() || target.get().equals(owner);
    }

    public Optional<Owner> scope() {
        return scope(Optional.empty());
    }

    /** The owner whose runs a request for {@code requested} covers; empty means all owners. */
    public Optional<Owner> scope(Optional<Owner> requested) {
        return operator ? requested : Optional.of(owner);
    }

    public String asActor() {
        return operator ? "operator" : owner.id();
    }
}
