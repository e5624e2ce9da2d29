package dev.roost.node;

/** The nodes that share a ledger, in four roles. {@link SingleNode} is a home outside a cluster. */
public record Cluster(Membership membership, RunPlacement placement, OrderStore orders, SharedOutput output) {}
