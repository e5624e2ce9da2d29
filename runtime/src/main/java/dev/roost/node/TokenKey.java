package dev.roost.node;

import javax.crypto.SecretKey;

/** What signs a cluster's tokens: whose key it is (48 bits that are no secret), and which of them since the cluster began. */
public record TokenKey(long cluster, int generation, SecretKey secret) {

    /** It never gets into a log or a message by being printed. */
    @Override
    public String toString() {
        return "key %d of %012x".formatted(generation, cluster);
    }
}
