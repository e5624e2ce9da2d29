package dev.roost.base;

import java.util.Locale;

/**
 * Every code of an error, with the kind of the error and what helps in most cases. Programs see the name in lower case; it never
 * changes its meaning. The command line has its own in {@code CliErrorCode}.
 */
public enum ErrorCode {
    AGENT_NOT_ALLOWED(Kind.REFUSAL, "[tools] agents in config.toml sets which agents may be started."),
    ALREADY_THERE(
            Kind.REFUSAL,
            "The ledger was moved there before and has been used on its own since; only one of the two can continue."),
    AMBIGUOUS_ID(Kind.BAD_INPUT, "`roost rescue` lists them; --since searches further back."),
    AMBIGUOUS_RUN(Kind.BAD_INPUT, "Give more of the id, or the run's name."),
    BACKUP_BY_DATABASE(Kind.REFUSAL, "Use pg_dump, or your database's own backup tool."),
    BACKUP_FAILED(Kind.BROKEN, "Choose another place, and check the disk."),
    BACKUP_IN_HOME(Kind.BAD_INPUT, "Choose a place outside of the home."),
    BAD_AGENT_CLASS(
            Kind.BAD_INPUT, "Make it a public class, static if nested, with a public constructor without parameters."),
    BAD_AGENT_NAME(Kind.BAD_INPUT, "Choose another name."),
    BAD_ANSWER(Kind.BAD_INPUT, "Send allow, or deny and the reason."),
    BAD_CERTIFICATE(Kind.BROKEN, "Set http_certificate and http_key to files in PEM."),
    BAD_CONFIG(Kind.BAD_INPUT, "Correct the file."),
    BAD_CONTENT_TYPE(Kind.BAD_INPUT, "Send application/json."),
    BAD_DURATION(Kind.BAD_INPUT, "Write one like 30s, 5m or 2h."),
    BAD_ENVIRONMENT(Kind.BAD_INPUT, "Unset it."),
    BAD_FAULTS(Kind.BAD_INPUT, "Write lines like: kill before claim, kill after finish 2, slow 250ms, clock +1h."),
    BAD_FIELD(Kind.BAD_INPUT, "Correct it and send again."),
    BAD_FORM(Kind.BAD_INPUT, "Load the page again and send it again."),
    BAD_IDEMPOTENCY_KEY(Kind.BAD_INPUT, "Send a UUID, say."),
    BAD_JSON(Kind.BAD_INPUT, "Send one, in UTF-8."),
    BAD_LAUNCHER(Kind.BAD_INPUT, "Pass each argument with a --launcher of its own."),
    BAD_LEDGER_ADDRESS(Kind.BAD_INPUT, "Write it as postgresql://user@host:5432/database."),
    BAD_METHOD(Kind.BAD_INPUT, "Use a method that the header Allow names."),
    BAD_NAME(Kind.BAD_INPUT, "Use printable characters, not starting with r_ or a dash."),
    BAD_NOTICE(Kind.BAD_INPUT, "`roost inbox` lists them; they look like n_12."),
    BAD_OWNER(Kind.BAD_INPUT, "Pass one like cli:alice or claude:5f0c…."),
    BAD_PARAMS(Kind.BAD_INPUT, "Send {\"field\": value, …}."),
    BAD_PATH(Kind.BAD_INPUT, "Rename it."),
    BAD_PATH_MAP(Kind.BAD_INPUT, "Write /inside=/outside, both as absolute paths."),
    BAD_PERMISSIONS(Kind.BAD_INPUT, "Pass one of them."),
    BAD_PRICES(Kind.BAD_INPUT, "Correct the file."),
    BAD_PROJECT(Kind.BAD_INPUT, "Correct the file."),
    BAD_REMOTE(Kind.BAD_INPUT, "Name one of `git remote`."),
    BAD_REQUEST(Kind.BAD_INPUT, "Send {\"id\", \"method\", \"params\"}."),
    BAD_SECRET_FILE(Kind.BAD_INPUT, "Put the secret there, and let only its owner read it."),
    BAD_SIZE(Kind.BAD_INPUT, "Write one like 500MB or 10GB."),
    BAD_TAG(Kind.BAD_INPUT, "Pass a tag that nodes have; roost node list shows them."),
    BAD_TASK(Kind.BAD_INPUT, "Put the words after --, or send the prompt on standard input."),
    BAD_TOKEN(Kind.REFUSAL, "`roost token list` shows the known ones; `roost token create` makes one."),
    BAD_TRANSFER(Kind.REFUSAL, "Nothing was changed. Its last checkpoint is still where it was made."),
    BAD_VARIABLE(Kind.BAD_INPUT, "Use letters, digits and _; names that begin with ROOST_ are Roost's own."),
    BODY_TOO_LARGE(Kind.BAD_INPUT, "Send less."),
    CANNOT_CONTINUE(Kind.REFUSAL, "Start a new run."),
    CANNOT_RESUME(Kind.REFUSAL, "Omit on_loss, or pass report."),
    CANNOT_STEER(Kind.REFUSAL, "Wait for its end, then send the message."),
    CHECKPOINT_FAILED(Kind.BROKEN, "Try again."),
    DAEMON_RUNNING(Kind.REFUSAL, "Use it, or stop it with `roost daemon stop`."),
    DISK_FULL(Kind.BROKEN, "Free some space and try again; what was accepted before is safe."),
    DURATION_WITHOUT_UNIT(Kind.BAD_INPUT, "Write 30s for seconds or 30m for minutes."),
    EMPTY_PROMPT(Kind.BAD_INPUT, "Say what the agent is to do."),
    ENVIRONMENT_TOO_LARGE(Kind.BAD_INPUT, "Unset what the agent does not need."),
    FOREIGN_HOST(
            Kind.REFUSAL, "Use the address that `roost daemon status` shows, or add this host name to http_names."),
    FOREIGN_ORIGIN(Kind.REFUSAL, "Use the address that `roost daemon status` shows."),
    GIT_FAILED(Kind.BROKEN, "Look at the repository with git; nothing that was kept is touched."),
    GIT_LATE(Kind.BROKEN, "Look whether a filter, a hook or the disk holds it up."),
    HOME_NOEXEC(Kind.BROKEN, "Set ROOST_HOME to a directory on another filesystem, or mount this one without noexec."),
    HOME_ON_NETWORK(Kind.BROKEN, "Set ROOST_HOME to a directory on a local disk."),
    HOME_PATH_TOO_LONG(Kind.BROKEN, "Set ROOST_HOME to a shorter path."),
    HOME_READ_ONLY(Kind.BROKEN, "Make the home writable again."),
    HOME_UNUSABLE(Kind.BROKEN, "Make it a writable directory of yours, or set ROOST_HOME to one."),
    HOME_UNWRITABLE(Kind.BROKEN, "Check the home and its disk."),
    HTTP_FAILED(Kind.BROKEN, "Set http in config.toml to another address, or to \"off\"."),
    HTTP_OFF(Kind.REFUSAL, "Remove http = \"off\" from config.toml, and restart the daemon."),
    INTERNAL(Kind.BROKEN, "logs/daemon.0.log in the home has the details."),
    INTERRUPTED(Kind.BROKEN, "Try again."),
    JOINED_ANOTHER(Kind.REFUSAL, "To leave that ledger, remove the line `ledger = …` from the file first."),
    LEDGER_AWAY(Kind.BROKEN, "Agents continue meanwhile. Check the database and the network to it, and try again."),
    LEDGER_BROKEN(Kind.BROKEN, "Nothing was changed. Restore a backup: roost daemon restore FILE."),
    LEDGER_CLOSED(Kind.BROKEN, "The daemon is stopping; try again."),
    LEDGER_FORGETS(Kind.BROKEN, "Set it to on for this database."),
    LEDGER_MISSING(Kind.BROKEN, "Create it, or correct ledger in config.toml."),
    LEDGER_MOVED(Kind.REFUSAL, "Put ledger = \"postgresql://…\" into config.toml."),
    LEDGER_MOVING(Kind.BROKEN, "Repeat the command; it continues where it stopped: roost ledger move postgresql://…"),
    LEDGER_NEWER(Kind.BROKEN, "Upgrade Roost on this machine."),
    LEDGER_NOT_LET_IN(
            Kind.BROKEN,
            "The password is looked for in the address, in PGPASSWORD, and in the file PGPASSFILE or ~/.pgpass."),
    LEDGER_NOT_MIGRATED(
            Kind.BROKEN,
            "Run `roost ledger migrate postgresql://…` once with the role that owns them, then restart the node."),
    LEDGER_NOT_TRUSTED(
            Kind.BROKEN,
            "sslrootcert in the ledger's address must be the authority that signed its certificate, and the host its name."),
    LEDGER_SET_OTHERWISE(
            Kind.BROKEN, "Configure the pool to pass on the parameter options, or set it for the node's role."),
    LEDGER_WRITE_FAILED(Kind.BROKEN, "Read logs/daemon.0.log in the home, and check the disk."),
    LINE_TOO_LONG(Kind.BAD_INPUT, "Send less."),
    MISSING_FIELD(Kind.BAD_INPUT, "Send it with the request."),
    MISSING_OWNER(
            Kind.BAD_INPUT, "Send the header Roost-Owner: harness:id, or use a token made with `roost token create`."),
    MOVE_FAILED(Kind.BROKEN, "Nothing is lost. Repeat the command; it continues where it stopped."),
    MOVE_INCOMPLETE(Kind.BROKEN, "Nothing was changed. Please report this."),
    MOVE_INTERRUPTED(Kind.BROKEN, "Nothing is lost. Repeat the command; it continues where it stopped."),
    NAME_TAKEN(Kind.REFUSAL, "Choose another name, or stop that run first."),
    NO_BATCHES(Kind.BAD_INPUT, "Send one message a request."),
    NO_CHECKOUT(Kind.REFUSAL, "Start from a directory with checked-out files."),
    NO_CHECKPOINT(Kind.REFUSAL, "See which there are with git for-each-ref, or restore it on the node that has it."),
    NO_CLASS(Kind.BAD_INPUT, "docs/library.md says how an agent in Java is defined."),
    NO_CLUSTER(Kind.REFUSAL, "Omit the tag, or join a cluster: docs/cluster.md."),
    NO_COMMAND(Kind.BAD_INPUT, "Name the program in config.toml: command in [agents.NAME]."),
    NO_COMMITS(Kind.REFUSAL, "Commit something first, or start the run without a worktree."),
    NO_CONVERSATION(Kind.REFUSAL, "Start another run; its files were copied here."),
    NO_GIT(Kind.REFUSAL, "Install git, or start the run without a worktree."),
    NO_GUARD(Kind.BROKEN, "Check that the home is writable, and the machine's process limits."),
    NO_LEDGER(Kind.REFUSAL, "There is nothing to move."),
    NO_LEDGER_ADDRESS(
            Kind.BAD_INPUT, "Name it, postgresql://user@host:5432/database, or put it into config.toml as ledger."),
    NO_NODE_FOR_IT(Kind.REFUSAL, "`roost node list` shows what each node has."),
    NO_PROJECT_FILE(Kind.BAD_INPUT, "Name the project's directory: roost trust DIR."),
    NO_SQLITE(
            Kind.BROKEN,
            "Roost includes it for Linux and macOS on x86-64 and ARM. Install Roost again, or run it on such a system."),
    NO_SUCH_ATTEMPT(Kind.BAD_INPUT, "`roost show` lists its attempts."),
    NO_SUCH_COMMIT(Kind.REFUSAL, "Push the branch that has it, or start from a commit that was pushed."),
    NO_SUCH_DIRECTORY(Kind.BAD_INPUT, "Pass an existing directory, as an absolute path."),
    NO_SUCH_EXECUTABLE(Kind.BAD_INPUT, "Install it, or set command in [agents.NAME]."),
    NO_SUCH_NODE(Kind.BAD_INPUT, "`roost node list` shows all nodes."),
    NO_SUCH_ROUTE(Kind.BAD_INPUT, "docs/protocol.md lists the routes."),
    NO_SUCH_RUN(Kind.NO_SUCH_RUN, "Run `roost ps --all` to list all runs."),
    NO_SUCH_TOKEN(Kind.BAD_INPUT, "`roost token list` shows them; their ids look like t_…."),
    NO_TOKEN(Kind.REFUSAL, "Send the header Authorization: Bearer TOKEN."),
    NO_WORKTREE(Kind.REFUSAL, "`roost restore` brings its files back."),
    NODE_ALIVE(Kind.REFUSAL, "Drain it and stop its daemon first."),
    NODE_AWAITED(Kind.REFUSAL, "Stop them first: roost ps shows them."),
    NODE_AWAY(Kind.BROKEN, "Another node adds the lines that it knows; try again in a moment."),
    NODE_HAS_RUNS(Kind.REFUSAL, "Other nodes take them over after the node's grace; try again then."),
    NODE_NAME_TAKEN(Kind.REFUSAL, "Set another [node] name in config.toml."),
    NOT_A_REPOSITORY(Kind.REFUSAL, "Start from inside a repository, or start the run without a worktree."),
    NOT_EMPTY(Kind.REFUSAL, "Name a directory that does not exist."),
    NOT_IN_CLUSTER(Kind.REFUSAL, "docs/cluster.md says how a home joins a cluster."),
    NOT_READY_DISK(Kind.BROKEN, "Free some space."),
    NOT_READY_LEDGER_READ(Kind.BROKEN, "Read the log, and check the disk."),
    NOT_READY_LEDGER_WRITE(Kind.BROKEN, "Read the log, and check the disk."),
    NOT_READY_SETTLED(Kind.BROKEN, "The daemon retries every two seconds; the log shows why it fails."),
    NOT_READY_STOPPING(Kind.BROKEN, "Try again."),
    NOT_SIGNED_IN(Kind.REFUSAL, "Run this in a terminal, and open the link that it prints:"),
    NOT_STARTED(Kind.REFUSAL, "Wait until it has started, or stop it and start another run."),
    NOT_YOUR_OWNER(Kind.REFUSAL, "Omit owner, or use the owner's token."),
    NOT_YOUR_REPOSITORY(Kind.REFUSAL, "Run as its owner, or name it in git's safe.directory setting."),
    NOTHING_LOST(Kind.BAD_INPUT, "`roost rescue` lists them; --since searches further back."),
    NUL_IN_TASK(Kind.BAD_INPUT, "Remove it."),
    ON_ANOTHER_NODE(Kind.REFUSAL, "Run the command on that node."),
    ONE_ID(Kind.BAD_INPUT, "Pass exactly one of them."),
    OPERATOR_ONLY(Kind.REFUSAL, "Do it from a plain shell, outside of a run."),
    OPERATORS_ONLY(Kind.REFUSAL, "Use the file metrics.token of the home."),
    OUTSIDE_PROJECT(Kind.REFUSAL, "Pass a directory inside it, or omit cwd."),
    OVER_BUDGET(Kind.REFUSAL, "Wait for tomorrow (UTC), or raise the budget in config.toml."),
    OVER_CAPACITY(Kind.REFUSAL, "Wait for a run to end, stop one, or raise the cap in config.toml or of the token."),
    PERSON_REQUIRED(Kind.REFUSAL, "Ask the user to do it in a plain shell."),
    PROJECT_CHANGED(Kind.REFUSAL, "Review it again: roost trust."),
    PROJECT_LOOSENS(Kind.REFUSAL, "Correct it, or allow it in your own config.toml."),
    PROMPT_TOO_LONG(Kind.BAD_INPUT, "Put the long part into a file and name the file."),
    QUERY_NOT_TAKEN(Kind.BAD_INPUT, "Send them in the body."),
    QUESTION_ANSWERED(Kind.REFUSAL, "Show the run again; it may have another question."),
    QUESTION_CLOSED(Kind.REFUSAL, "Read the run's state again: roost show."),
    REPEATED_FIELD(Kind.BAD_INPUT, "Send it once."),
    REPOSITORY_GONE(Kind.BROKEN, "If the repository was moved, move it back, or link to it from there."),
    RUN_IS_LIVE(Kind.REFUSAL, "Try again when it has ended."),
    RUNS_LIVE(Kind.REFUSAL, "Wait for them, or stop them: roost ps, roost stop --all."),
    SESSION_NOT_IMPORTED(
            Kind.BROKEN,
            "Check that `opencode import` works on this machine, and that its version is not older than on the other."),
    SHELF_AWAY(Kind.BROKEN, "Check that PostgreSQL runs and accepts this node's login."),
    SHELF_CHANGED(Kind.BROKEN, "Read it again."),
    SOCKET_FAILED(Kind.BROKEN, "Check the home."),
    STILL_AT_WORK(Kind.BAD_INPUT, "Wait for its end."),
    TIMEOUT_OUT_OF_RANGE(Kind.BAD_INPUT, "Pass 1000 to 3600000, or a string like \"5m\"."),
    TIMEOUT_TOO_SHORT(Kind.BAD_INPUT, "Pass milliseconds, or a string like \"5m\"."),
    TOKEN_EXPIRED(Kind.REFUSAL, "Ask the user for a new one: `roost token create`."),
    TOO_DEEP(Kind.REFUSAL, "Do the work here, or let the parent session start it."),
    TOO_FEW_OPEN_FILES(Kind.BROKEN, "Raise the limit (ulimit -n 4096) and start the daemon again."),
    TOO_MANY_FAILURES(Kind.REFUSAL, "Wait a minute. Requests with a valid token are answered meanwhile."),
    TOO_MANY_STREAMS(Kind.REFUSAL, "Close one, or try again later."),
    TRANSFER_FAILED(Kind.BROKEN, "Try again."),
    TRANSFER_FILES(Kind.BROKEN, "Try again."),
    TRANSFER_TOO_LARGE(Kind.REFUSAL, "The run can continue only on the machine where it is."),
    UNKNOWN_AGENT(Kind.BAD_INPUT, "`roost agents` lists them."),
    UNKNOWN_DIALECT(Kind.BAD_INPUT, "Name a harness that Roost knows."),
    UNKNOWN_DRIVER(Kind.BAD_INPUT, "docs/agents.md lists the drivers."),
    UNKNOWN_FIELD(Kind.BAD_INPUT, "docs/protocol.md lists the fields."),
    UNKNOWN_HARNESS(Kind.BAD_INPUT, "`roost install --help` lists them."),
    UNKNOWN_METHOD(Kind.BAD_INPUT, "docs/protocol.md lists the methods."),
    UNKNOWN_REVISION(Kind.BAD_INPUT, "Send the revision that initialize returned."),
    UNKNOWN_TOOL(Kind.BAD_INPUT, "docs/reference/tools.md lists the tools."),
    UNTRUSTED_PROJECT(Kind.REFUSAL, "Read that file and run `roost trust` in a plain shell."),
    WORK_NOT_HERE(Kind.REFUSAL, "Fetch in it, and try again."),
    WORK_NOT_KEPT(Kind.REFUSAL, "Move it away, then try again."),
    WORK_TOO_BIG(
            Kind.REFUSAL,
            "Set checkpoint_remote, so that checkpoints are pushed and need not travel, or push the base branch."),
    WORKTREE_FILES(Kind.BROKEN, "Look at the disk and the permissions of its files.");

    private enum Kind {
        BAD_INPUT,
        REFUSAL,
        NO_SUCH_RUN,
        BROKEN
    }

    private final Kind kind;
    private final String hint;

    ErrorCode(Kind kind, String hint) {
        this.kind = kind;
        this.hint = hint;
    }

    public static ErrorCode of(RoostError error) {
        return error.errorCode();
    }

    /** The name that programs see. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String hint() {
        return hint;
    }

    /** Whether the same request may succeed later: the error comes from a disk or a store, and not from the request. */
    public boolean isRetryable() {
        return switch (this) {
            case DISK_FULL, LEDGER_AWAY, LEDGER_CLOSED, LEDGER_WRITE_FAILED, SHELF_AWAY, SHELF_CHANGED -> true;
            default -> false;
        };
    }

    public RoostError error(String sentence) {
        return error(sentence, hint);
    }

    /** An error with a hint that fits better than that of the code. */
    public RoostError error(String sentence, String hint) {
        return switch (kind) {
            case BAD_INPUT -> new BadInput(this, sentence, hint);
            case REFUSAL -> new Refusal(this, sentence, hint);
            case NO_SUCH_RUN -> new NoSuchRun(this, sentence, hint);
            case BROKEN -> new Broken(this, sentence, hint);
        };
    }
}
