# guard.sh HOME GRACE GROUP COMMAND… : ends the agents of a home whose daemon is away for longer than its cluster waits.
#
# The daemon holds the other end of standard input, so its end, however it comes, is the end of that input: nothing is
# polled while it lives, and one that was only stopped is not taken for dead. Then the grace (in hundredths of a second)
# passes, counted from when the others last heard of this node, in which the machine's sleep counts, as it does for the others of the cluster; then COMMAND ends the agents. One
# that cannot is tried again. A daemon that comes back starts a guard of its own and ends this one. How `look` reads the clock stands
# before this, in linux.sh or portable.sh.
{
set -fu
trap '' HUP
umask 077
home=$1 grace=$2 group=$3
shift 3
if [ -n "$group" ]; then { echo 0 >"$group/cgroup.procs"; } 2>/dev/null || group=; fi
echo ready
exec >/dev/null

# shellcheck disable=SC2034 # what it is told does not matter
while read -r said; do :; done
exec </dev/null

look
since=$now pause=500
# Since then the others wait; a daemon that never got so far as to be heard does not make them wait longer.
if read -r heard 2>/dev/null <"$home/heard"; then
    while [ "${heard#0}" != "$heard" ]; do heard=${heard#0}; done
    case $heard in *[!0-9]* | '') ;; *) [ "$heard" -gt "$now" ] || since=$heard ;; esac
fi
while [ -d "$home/runs" ]; do
    look
    if [ $((now - since)) -ge "$grace" ]; then
        log=$home/logs/guard.log
        { true >>"$log"; } 2>/dev/null || log=/dev/null # of `:`, a failure would end this shell
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
