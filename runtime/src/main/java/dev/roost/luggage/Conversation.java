package dev.roost.luggage;

import java.util.List;

/** An agent's own record of one session, in the files that its tool reads when it resumes. */
public record Conversation(String tool, String session, List<Piece> pieces) {

    public Conversation {
        pieces = List.copyOf(pieces);
    }

    public long bytes() {
        return pieces.stream().mapToLong(Piece::bytes).sum();
    }
}
