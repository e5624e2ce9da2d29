package dev.roost.chaos;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How chaos gets in: the socket, and the program itself. Nothing here throws; an answer says what became of it. */
public interface RoostAccess {

    /** As the operator, who sees everybody's runs. */
    String OPERATOR = "";

    /** Once more where the daemon died under it; it is started if there is none. */
    CallResult call(String owner, String method, ObjectNode params);

    /** Once. */
    CallResult callOnce(String owner, String method, ObjectNode params);

    /** {@code roost WORDS…} as a process of its own. */
    CommandResult roost(String owner, List<String> words);

    /** @param code empty if it was done; {@code unreached} and {@code daemon_gone}: nobody knows */
    record CallResult(String code, String message, JsonNode body) {
        boolean done() {
            return code.isEmpty();
        }

        /** Whether a daemon said no, so that nothing was done. */
        boolean refused() {
            return !done() && !unknown();
        }

        boolean unknown() {
            return code.equals("daemon_gone") || code.equals("unreached");
        }
    }

    /** @param exit as the contract has them; -1: it did not end */
    record CommandResult(int exit, String out, String err) {}
}
