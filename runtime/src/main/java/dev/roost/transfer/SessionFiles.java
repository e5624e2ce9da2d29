package dev.roost.transfer;

import java.util.List;

/** The files that an agent's tool reads to resume one session. */
public record SessionFiles(String tool, String session, List<BundleEntry> pieces) {

    public SessionFiles {
        pieces = List.copyOf(pieces);
    }

    public long bytes() {
        return pieces.stream().mapToLong(BundleEntry::bytes).sum();
    }
}
