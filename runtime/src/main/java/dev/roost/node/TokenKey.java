package dev.roost.node;

import javax.crypto.SecretKey;

/** The key that signs a cluster's tokens. {@code cluster}: 48 bits, not secret, that identify the cluster. */
public record TokenKey(long cluster, int generation, SecretKey secret) {

    /** Omits the secret, so that printing a key never leaks it. */
    @Override
    public String toString() {
        return "key %d of %012x".formatted(generation, cluster);
    }
}
