package dev.roost.ledger;

import dev.roost.run.Owner;
import java.time.Instant;

/** A durable message to an owner, with the run and the attempt it speaks of. */
public record Notice(long id, String kind, int sequence, Owner owner, Instant createdAt, Run run, Attempt attempt) {}
