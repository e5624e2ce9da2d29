package dev.roost.cli.client;

import java.util.Locale;

/** Every code of an error that the command line itself finds, with its exit status and what helps in most cases. */
public enum CliErrorCode {
    DAEMON_GONE(CliError.NO_DAEMON, "`roost ps --all` shows whether it took effect."),
    DAEMON_RUNNING(CliError.REFUSED, "Stop it first: roost daemon stop, or pass --stop-daemon."),
    FILE_FAILED(CliError.FAILED, "Check the directory and its permissions."),
    HOME_UNUSABLE(CliError.NO_DAEMON, "Make it a directory that you own and can write, or set ROOST_HOME to one."),
    INCOMPLETE(CliError.FAILED, "Install Roost again."),
    INTERNAL(CliError.FAILED, "Please report it."),
    LEDGER_FAILED(CliError.FAILED, "No data is lost; repeat the command."),
    NO_DAEMON(CliError.NO_DAEMON, "`roost daemon start` starts one."),
    NO_HOME(CliError.NO_DAEMON, "Set HOME, or ROOST_HOME."),
    NO_LAUNCHER(CliError.FAILED, "Run the launcher script `roost`, not java."),
    NO_LEDGER(CliError.USAGE, "Make one with `roost daemon backup FILE`."),
    NO_PROC(CliError.REFUSED, "Try it on Linux."),
    NO_RESULT(CliError.FAILED, "Check the disk; `roost show` has the rest of the run."),
    NO_SCENE(CliError.FAILED, "Free some space in /var/tmp, or in your home directory."),
    NO_STREAM(CliError.FAILED, "Check the disk; without --raw, the output comes from the ledger and output.md."),
    NO_SUCH_ATTEMPT(CliError.USAGE, "`roost show` lists its attempts."),
    NO_SUCH_NODE(CliError.USAGE, "`roost node list` shows all nodes."),
    NODE_RESUMED(CliError.REFUSED, "Drain it again if that was a mistake."),
    NOT_CONFIRMED(CliError.REFUSED, "Read what it would do, then pass --yes."),
    NOT_EDITABLE(CliError.REFUSED, "Correct the file, or edit it by hand."),
    OUTPUT_CLOSED(CliError.OUTPUT_CLOSED, ""),
    OUTPUT_LOST(CliError.FAILED, "The command itself was carried out; run it again with another output to see it."),
    PERSON_REQUIRED(CliError.REFUSED, "Ask the user to do it in a plain shell."),
    RESTORE_FAILED(CliError.FAILED, "The previous ledger is kept."),
    UNKNOWN_HARNESS(CliError.USAGE, "`roost install --help` lists them."),
    USAGE(CliError.USAGE, "See `roost --help`."),
    WIRED_ALREADY(CliError.REFUSED, "Keep that, or remove it first: both together would deliver each notice twice.");

    private final int exit;
    private final String hint;

    CliErrorCode(int exit, String hint) {
        this.exit = exit;
        this.hint = hint;
    }

    /** The name that programs see. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String hint() {
        return hint;
    }

    public CliError error(String sentence) {
        return error(sentence, hint);
    }

    /** An error with a hint that fits better than that of the code. */
    public CliError error(String sentence, String hint) {
        return new CliError(exit, code(), sentence, hint);
    }
}
