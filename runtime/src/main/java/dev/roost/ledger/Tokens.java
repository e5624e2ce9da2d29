package dev.roost.ledger;

import java.util.List;
import java.util.Optional;

/** What lets programs in. */
public interface Tokens {

    void add(Token token);

    /** The token whose secret has this hash. */
    Optional<Token> find(String sha256);

    /** All tokens, oldest first. */
    List<Token> all();

    /** The token let somebody in just now; false if it is gone. */
    boolean used(String id);

    /** Lets nobody in with it any more; false if there is none with this id. */
    boolean revoke(String id);
}
