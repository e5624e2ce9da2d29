package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import java.util.Optional;

/** What a harness says of a parent session. */
public record Report(
        Owner owner, String harness, Optional<String> home, Optional<Parent.Harness> process, ParentEvent event) {}
