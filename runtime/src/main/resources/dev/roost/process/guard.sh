# guard.sh HOME GRACE GROUP COMMAND… : kills the agents of a home whose daemon is away for longer than the cluster's timeout.
#
# The daemon holds the other end of standard input, so the input ends when the daemon dies. The guard polls nothing until then,
# and does not take a stopped daemon (SIGSTOP) for dead. After that the guard waits for the grace period (in hundredths of a
# second), counted from the last renewal of this node's lease. The machine's sleep counts, as it does for the other nodes. Then
# COMMAND kills the agents; the guard retries it until it succeeds. A daemon that comes back starts its own guard and kills this
# one. linux.sh or portable.sh stands before this script and defines `look`, which reads the clock.
{
set -fu
trap '' HUP PIPE # PIPE: the daemon may die before it has read that this guard is ready
umask 077
home=$1 grace=$2 group=$3
shift 3
if [ -n "$group" ]; then { echo 0 >"$group/cgroup.procs"; } 2>/dev/null || group=; fi
echo ready 2>/dev/null
exec >/dev/null

# shellcheck disable=SC2034 # the lines have no meaning
while read -r said; do :; done
exec </dev/null

look
since=$now pause=500
# The other nodes count from the last renewal; a daemon in a crash loop, which never renews the lease, does not extend the wait.
if read -r heard 2>/dev/null <"$home/heard"; then
    while [ "${heard#0}" != "$heard" ]; do heard=${heard#0}; done
    case $heard in *[!0-9]* | '') ;; *) [ "$heard" -gt "$now" ] || since=$heard ;; esac
fi
while [ -d "$home/runs" ]; do
    look
    if [ $((now - since)) -ge "$grace" ]; then
        log=$home/logs/guard.log
        { true >>"$log"; } 2>/dev/null || log=/dev/null # a failed redirection of `:` would end this shell
        "$@" 2>>"$log" && break
        look
        since=$now grace=$pause
        [ $pause -ge 6000 ] || pause=$((pause * 2))
    fi
    sleep 0.5 || sleep 1
done
if [ -n "$group" ] && { echo 0 >"${group%/*}/cgroup.procs"; } 2>/dev/null; then rmdir "$group"; fi
exit 0
}
