# perch.sh DIR SPAWN CGROUP INPUT ARGV… : holds one attempt of a run, and outlives the daemon.
#
# It records `start` before the agent's first instruction and `exit` after its last, each by rename, so that a record
# is whole or absent. The agent runs in the foreground of this shell: so it keeps its own handling of INT and QUIT, no
# signal to the perch can cut the wait short, and the shell says on stderr when the agent died by a signal, which its
# exit status alone cannot tell from `exit 137`.
#
# INPUT is a file for the agent's standard input, or the word `pipe`: then what is in the files in.1, in.2, … goes to the
# agent in that order, each once, as they come (by rename; a byte to `bell` says that one came), until there is in.end.
{
set -fu
dir=$1 spawn=$2 group=$3 input=$4
shift 4
trap '' HUP
trap : TERM INT
umask 077

grouped=false
if [ -n "$group" ] && { echo 0 >"$group/cgroup.procs"; } 2>/dev/null; then grouped=true; fi

# process FILE: pid and start time of the process that FILE, a /proc/…/stat, speaks of
process() {
    read -r line <"$1"
    pid=${line%% *}
    set -- ${line##*) }
    born=${20}
}
process /proc/self/stat
perch_pid=$pid perch_born=$born
read -r boot </proc/sys/kernel/random/boot_id

# Whoever makes this file first decides: a perch that comes too late, after a daemon gave up on it, runs nothing.
set -C
printf '%s %s %s\n' "$perch_pid" "$perch_born" "$boot" 2>/dev/null >"$dir/begun.$spawn" || exit 0
set +C

exec 2>"$dir/said"
feeder=
if [ "$input" = pipe ]; then
    input=$dir/in
    for pipe in "$input" "$dir/bell"; do [ -p "$pipe" ] || mkfifo "$pipe" || exit 125; done
    (
        trap - TERM INT
        exec 3<>"$dir/bell" >"$input" # here it waits for the agent to open the other end
        n=1
        while :; do
            while [ -e "$dir/in.$n" ]; do
                cat "$dir/in.$n" || exit
                n=$((n + 1))
            done
            [ -e "$dir/in.end" ] && exit
            read -r _ <&3
        done
    ) &
    feeder=$!
fi
(
    process /proc/self/stat
    printf '{"perch_pid":%s,"perch_start":%s,"agent_pid":%s,"agent_start":%s,"boot_id":"%s","grouped":%s}\n' \
        "$perch_pid" "$perch_born" "$pid" "$born" "$boot" "$grouped" >"$dir/start.tmp" || exit 125
    mv "$dir/start.tmp" "$dir/start" || exit 125
    sync "$dir/start" "$dir" # before its first instruction: power may fail at the second
    umask "$ROOST_UMASK"
    PATH=$ROOST_PATH
    unset ROOST_UMASK ROOST_PATH
    exec "$@" <"$input" >>"$dir/out" 2>>"$dir/err"
)
status=$?
signaled=false
if [ "$status" -gt 128 ] && [ -s "$dir/said" ]; then signaled=true; fi

if [ -n "$feeder" ]; then
    kill "$feeder"
    wait "$feeder"
fi

# A full disk delays the record; it must not turn an end into a loss.
until printf '{"status":%s,"signaled":%s}\n' "$status" "$signaled" >"$dir/exit.tmp" && sync "$dir/exit.tmp"; do
    [ -d "$dir" ] || exit 1
    sleep 1
done
exec mv "$dir/exit.tmp" "$dir/exit"
}
