package dev.roost.os;

import dev.roost.model.RunId;

/** The variables in the environment of a process that name its attempt, or mark it as a daemon. */
public final class RunCookie {

    private static final String RUN = "\0ROOST_RUN_ID=";
    private static final String ATTEMPT = "\0ROOST_ATTEMPT=";

    /** Marks a daemon, which may be started inside a run, but is never part of it. */
    private static final String DAEMON_MARK = "ROOST_DAEMON";

    /** The main class of a daemon. The mark alone proves nothing: any process of an agent may carry the variable. */
    private static final String DAEMON_PROGRAM = "dev.roost.daemon.DaemonMain";

    private RunCookie() {}

    public static boolean marks(String environment, RunId run, int attempt) {
        return environment.contains(RUN + run + "\0") && environment.contains(ATTEMPT + attempt + "\0");
    }

    /** The name of the process tree that the cookies of a process claim. */
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
