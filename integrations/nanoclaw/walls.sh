# Sourced by `container` and `launcher`: defines the sandbox, which is the same for both.

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 125

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 125
}

# group_of DIR: sets `group` to the group's directory, as `setup` made it
group_of() {
    group=$(CDPATH='' cd -- "$1" 2>/dev/null && pwd -P) || fail "there is no directory $1"
    for part in workspace home tasks roost/runs; do
        [ -d "$group/$part" ] || fail "$group has no $part; make it with: setup $1 OWNER"
    done
}

# inside [OPTIONS OF BWRAP…] -- COMMAND…: execs the command in the sandbox of `group`. Visible there are the system and
# the programs of the group, read-only; its workspace and its home; the output of its runs, read-only. The network is the
# host's, since the daemon listens on its loopback. /tmp is deleted with the container, except the bridge,
# /tmp/claude-<uid>, where Claude Code writes the output of its own background tasks. It is a mount because Claude Code
# refuses a symlink there.
inside() {
    path=/usr/local/bin:/usr/bin:/bin
    if [ -f "$group/programs" ]; then
        while IFS= read -r directory; do
            [ -n "$directory" ] || continue
            set -- --ro-bind "$directory" "$directory" "$@"
            path=$directory:$path
        done <"$group/programs"
    fi
    for file in passwd group nsswitch.conf hosts resolv.conf localtime ssl ca-certificates alternatives ld.so.cache; do
        set -- --ro-bind-try "/etc/$file" "/etc/$file" "$@"
    done
    exec bwrap --die-with-parent --new-session --cap-drop ALL \
        --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try \
        --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /sbin /sbin \
        --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
        --proc /proc --dev /dev --tmpfs /tmp --tmpfs /var/tmp \
        --bind "$group/tasks" "/tmp/claude-$(id -u)" \
        --bind "$group/workspace" /workspace/group --bind "$group/home" /home/agent \
        --ro-bind "$group/roost" /roost --ro-bind "$here" /opt/roost \
        --setenv HOME /home/agent --setenv PATH "$path" --unsetenv TMPDIR \
        "$@"
}
