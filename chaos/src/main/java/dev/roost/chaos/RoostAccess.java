package dev.roost.chaos;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Calls Roost through its socket and its program. The methods do not throw; the result contains any error. */
public interface RoostAccess {

    /** The operator, which sees all runs. */
    String OPERATOR = "";

    /** Calls again if the daemon died during the call. Starts a daemon if none runs. */
    CallResult call(String owner, String method, ObjectNode params);

    /** Calls once. */
    CallResult callOnce(String owner, String method, ObjectNode params);

    /** Runs {@code roost WORDS…} as a process. */
    CommandResult roost(String owner, List<String> words);

    /** @param code empty on success; {@code unreached} and {@code daemon_gone}: the outcome is unknown */
    record CallResult(String code, String message, JsonNode body) {
        boolean done() {
            return code.isEmpty();
        }

        /** Whether the daemon refused, so that nothing was done. */
        boolean refused() {
            return !done() && !unknown();
        }

        boolean unknown() {
            return code.equals("daemon_gone") || code.equals("unreached");
        }
    }

    /** @param exit the exit status; -1 if it did not end in time */
    record CommandResult(int exit, String out, String err) {}
}
