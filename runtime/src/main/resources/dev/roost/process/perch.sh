# perch.sh DIR SPAWN CGROUP INPUT ARGV… : holds one attempt of a run, and outlives the daemon.
#
# It records `start` before the agent's first instruction and `exit` after its last, each by one write into an empty file: half
# a record cannot be read, so it counts as absent, and so does a file that is still empty. Descriptors 3 and 4 are these two
# files, open so that a write returns when the disk has it; where they are not, the perch opens them itself and runs sync. The
# agent runs in the foreground of this shell: so it keeps its own handling of INT and QUIT, no signal to the perch can cut the
# wait short, and the shell says on stderr when the agent died by a signal, which its exit status alone cannot tell from
# `exit 137`.
#
# INPUT is a file for the agent's standard input, or the word `pipe`: then what is in the files in.1, in.2, … goes to the
# agent in that order, each once, as they come (by rename; a byte to `bell` says that one came), until there is in.end.
#
# What it asks of the kernel stands before it, in linux.sh or portable.sh.
#
# Every variable here begins with ROOST_, as none of the caller's does: setting one that the caller had exported would
# change what the agent gets.
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

# Whoever makes this file first decides: a perch that comes too late, after a daemon gave up on it, runs nothing.
set -C
printf '%s %s %s\n' "$ROOST_PERCH_PID" "$ROOST_PERCH_BORN" "$ROOST_BOOT" 2>/dev/null >"$ROOST_DIR/begun.$ROOST_SPAWN" || exit 0
set +C

ROOST_SYNC=:
if ! opened 3 "$ROOST_DIR/start" || ! opened 4 "$ROOST_DIR/exit"; then
    ROOST_SYNC=durable
    exec 3>"$ROOST_DIR/start" 4>"$ROOST_DIR/exit"
fi

# What this shell itself says, and nobody else: a word of mv or of the loader must not pass for "Killed". The agent's
# files are opened here, under the perch's umask, so that no umask of the caller's makes them unreadable.
exec 2>"$ROOST_DIR/said"
ROOST_FEEDER=
if [ "$ROOST_INPUT" = pipe ]; then
    ROOST_INPUT=$ROOST_DIR/in
    for ROOST_PIPE in "$ROOST_INPUT" "$ROOST_DIR/bell"; do [ -p "$ROOST_PIPE" ] || mkfifo "$ROOST_PIPE" || exit 125; done
    (
        trap - TERM INT
        exec 4>&- 3<>"$ROOST_DIR/bell" 2>/dev/null >"$ROOST_INPUT" # here it waits for the agent to open the other end
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
    $ROOST_SYNC "$ROOST_DIR/start" "$ROOST_DIR" # before its first instruction: power may fail at the second
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

# Where the file that is open for it cannot take it (a full disk), or was removed, another takes its place, by rename: a full disk
# delays the record, it must not turn an end into a loss.
record() { printf '{"status":%s,"signaled":%s}\n' "$ROOST_STATUS" "$ROOST_SIGNALED"; }
record >&4 && $ROOST_SYNC "$ROOST_DIR/exit" && opened 4 "$ROOST_DIR/exit" && exit
until record >"$ROOST_DIR/exit.tmp" && durable "$ROOST_DIR/exit.tmp"; do
    [ -d "$ROOST_DIR" ] || exit 1
    sleep 1
done
exec mv "$ROOST_DIR/exit.tmp" "$ROOST_DIR/exit"
}
