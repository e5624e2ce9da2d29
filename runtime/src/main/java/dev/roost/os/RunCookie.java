package dev.roost.os;

import dev.roost.model.RunId;

/** What the environment of a process says: whose attempt started it, or that it is a daemon. */
public final class RunCookie {

    private static final String RUN = "\0ROOST_RUN_ID=";
    private static final String ATTEMPT = "\0ROOST_ATTEMPT=";

    /** Of a daemon: it may have been started from inside a run, but it is never part of one. */
    private static final String DAEMON_MARK = "ROOST_DAEMON";

    /** The mark alone is just a variable, which anything an agent starts may carry. */
    private static final String DAEMON_PROGRAM = "dev.roost.daemon.DaemonMain";

    private RunCookie() {}

    public static boolean marks(String environment, RunId run, int attempt) {
        return environment.contains(RUN + run + "\0") && environment.contains(ATTEMPT + attempt + "\0");
    }

    /** The {@code ProcessTree.name} of the tree that the process says it is in. */
    public static String name(String environment) {
        return value(environment, RUN) + "-" + value(environment, ATTEMPT);
    }

    private static String value(String environment, String cookie) {
        int at = environment.indexOf(cookie);
        int end = at < 0 ? -1 : environment.indexOf('\0', at + 1);
        return end < 0 ? "" : environment.substring(at + cookie.length(), end);
    }

    public static boolean isDaemon(long pid) {
        return pid == ProcessHandle.current().pid()
                || (Processes.commandLine(pid).contains("\0" + DAEMON_PROGRAM + "\0")
                        && Kernel.here().scanProcesses().environment(pid).contains("\0" + DAEMON_MARK + "="));
    }
}
