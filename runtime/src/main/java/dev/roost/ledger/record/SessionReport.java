package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import java.util.Optional;

/** A harness's report about an owner session. */
public record SessionReport(
        Owner owner,
        String harness,
        Optional<String> home,
        Optional<OwnerSession.HarnessProcess> process,
        SessionEvent event) {}
