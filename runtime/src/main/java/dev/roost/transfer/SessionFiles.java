package dev.roost.transfer;

import java.util.List;

/** An agent's own record of one session, in the files that its tool reads when it resumes. */
public record SessionFiles(String tool, String session, List<BundleEntry> pieces) {

    public SessionFiles {
        pieces = List.copyOf(pieces);
    }

    public long bytes() {
        return pieces.stream().mapToLong(BundleEntry::bytes).sum();
    }
}
