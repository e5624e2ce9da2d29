# perch.sh DIR SPAWN CGROUP INPUT ARGV… : runs one attempt of a run, and outlives the daemon.
#
# The perch records `start` before the agent's first instruction and `exit` after its last, each with one write into an empty
# file: an empty or torn record counts as absent. Descriptors 3 and 4 are these two files, opened with O_SYNC; if they are not
# open, the perch opens the files itself and runs sync. The agent runs in the foreground of this shell, for three reasons: the
# agent keeps its own handling of INT and QUIT, no signal to the perch interrupts the wait, and the shell reports on stderr that
# the agent died by a signal, which the exit status alone does not distinguish from `exit 137`.
#
# INPUT is a file for the agent's standard input, or the word `pipe`: then the perch writes the content of the files in.1, in.2,
# … to the agent in this order, each once, as they arrive (by rename; a byte in `bell` announces one), until in.end exists.
#
# linux.sh or portable.sh stands before this script and defines the functions that ask the kernel.
#
# Every variable here begins with ROOST_, and none of the caller's does: to set a variable that the caller exported would change
# the agent's environment.
{
set -fu
ROOST_DIR=$1 ROOST_SPAWN=$2 ROOST_GROUP=$3 ROOST_INPUT=$4
shift 4
trap '' HUP
trap : TERM INT
umask 077

ROOST_GROUPED=false
if [ -n "$ROOST_GROUP" ] && { echo 0 >"$ROOST_GROUP/cgroup.procs"; } 2>/dev/null; then ROOST_GROUPED=true; fi

process
ROOST_PERCH_PID=$ROOST_PID ROOST_PERCH_BORN=$ROOST_BORN
boot

# The first process to create this file decides: a daemon that revokes a perch creates it, and the late perch runs nothing.
set -C
printf '%s %s %s\n' "$ROOST_PERCH_PID" "$ROOST_PERCH_BORN" "$ROOST_BOOT" 2>/dev/null >"$ROOST_DIR/begun.$ROOST_SPAWN" || exit 0
set +C

ROOST_SYNC=:
if ! opened 3 "$ROOST_DIR/start" || ! opened 4 "$ROOST_DIR/exit"; then
    ROOST_SYNC=durable
    exec 3>"$ROOST_DIR/start" 4>"$ROOST_DIR/exit"
fi

# Only this shell writes to `said`: a message of mv or of the loader must not pass for "Killed". The shell opens the agent's
# output files under the perch's umask, so that the caller's umask cannot make them unreadable.
exec 2>"$ROOST_DIR/said"
ROOST_FEEDER=
if [ "$ROOST_INPUT" = pipe ]; then
    ROOST_INPUT=$ROOST_DIR/in
    for ROOST_PIPE in "$ROOST_INPUT" "$ROOST_DIR/bell"; do [ -p "$ROOST_PIPE" ] || mkfifo "$ROOST_PIPE" || exit 125; done
    (
        trap - TERM INT
        exec 4>&- 3<>"$ROOST_DIR/bell" 2>/dev/null >"$ROOST_INPUT" # blocks until the agent opens the other end
        ROOST_N=1
        while :; do
            while [ -e "$ROOST_DIR/in.$ROOST_N" ]; do
                cat "$ROOST_DIR/in.$ROOST_N" || exit
                ROOST_N=$((ROOST_N + 1))
            done
            [ -e "$ROOST_DIR/in.end" ] && exit
            read -r ROOST_LINE <&3
        done
    ) &
    ROOST_FEEDER=$!
fi
(
    process
    printf '{"perch_pid":%s,"perch_start":%s,"agent_pid":%s,"agent_start":%s,"boot_id":"%s","grouped":%s}\n' \
        "$ROOST_PERCH_PID" "$ROOST_PERCH_BORN" "$ROOST_PID" "$ROOST_BORN" "$ROOST_BOOT" "$ROOST_GROUPED" >&3 || exit 125
    $ROOST_SYNC "$ROOST_DIR/start" "$ROOST_DIR" # before the agent's first instruction: the power may fail after it
    exec 3>&- 4>&-
    umask "$ROOST_UMASK"
    PATH=$ROOST_PATH
    unset ROOST_UMASK ROOST_PATH ROOST_BOOT
    exec "$@"
) <"$ROOST_INPUT" >>"$ROOST_DIR/out" 2>>"$ROOST_DIR/err"
ROOST_STATUS=$?
ROOST_SIGNALED=false
if [ "$ROOST_STATUS" -gt 128 ] && [ -s "$ROOST_DIR/said" ]; then ROOST_SIGNALED=true; fi

if [ -n "$ROOST_FEEDER" ]; then
    kill "$ROOST_FEEDER"
    wait "$ROOST_FEEDER"
fi

# If the write to the open file fails (a full disk), or the file was removed, the perch writes another file and renames it: a
# full disk delays the record, but must not turn an end into a loss.
record() { printf '{"status":%s,"signaled":%s}\n' "$ROOST_STATUS" "$ROOST_SIGNALED"; }
record >&4 && $ROOST_SYNC "$ROOST_DIR/exit" && opened 4 "$ROOST_DIR/exit" && exit
until record >"$ROOST_DIR/exit.tmp" && durable "$ROOST_DIR/exit.tmp"; do
    [ -d "$ROOST_DIR" ] || exit 1
    sleep 1
done
exec mv "$ROOST_DIR/exit.tmp" "$ROOST_DIR/exit"
}
