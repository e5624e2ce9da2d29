# ssh-session.sh DIR COMMAND… : COMMAND as somebody who came in by ssh on a machine with systemd would run it.
# He may make no cgroups where he is, but has a systemd of his own that may. Its processes' pids go to DIR/pids.
set -eu
dir=$1
shift
root=/sys/fs/cgroup/roost-test-$(basename "$(dirname "$dir")")

mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
umount -R /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p "$root/user" "$root/session"
chown 65534 "$root/session" "$root/session/cgroup.procs" # not ours
echo "$root" >"$dir/cgroup"
XDG_RUNTIME_DIR=$dir/runtime
HOME=$dir
export XDG_RUNTIME_DIR HOME
mkdir -p "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
export DBUS_SESSION_BUS_ADDRESS

if ! [ -e "$XDG_RUNTIME_DIR/systemd/private" ]; then
    (
        echo 0 >"$root/user/cgroup.procs"
        dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile >"$dir/dbus.log" 2>&1 &
        echo $! >>"$dir/pids"
        until [ -e "$XDG_RUNTIME_DIR/bus" ]; do sleep 0.05; done
        exec setsid sh -c 'echo $$ >>"$0"; exec /lib/systemd/systemd --user' "$dir/pids" >"$dir/systemd.log" 2>&1
    ) </dev/null &
    until systemctl --user is-system-running >/dev/null 2>&1; do sleep 0.1; done
fi
echo 0 >"$root/session/cgroup.procs"
unset DBUS_SESSION_BUS_ADDRESS
exec setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$@"
