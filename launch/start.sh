# Starts Roost's programs. Sourced by the launchers of a checkout and of a package, which first set `jdk`, `dist` (the
# directory of the jars and their caches), `launcher` (the path that harnesses call), `share` (the directory of the
# integrations); and for `start` also `classpath` and `daemon_classpath`.

roost_version=0.1.0

# The locale sets the encoding of Java's command lines and paths; the agent still gets the caller's own locale.
ROOST_CALLER_LC_ALL=${LC_ALL:-}
LC_ALL=C.UTF-8
export ROOST_CALLER_LC_ALL LC_ALL

# Keeps the JVM's own warnings out of a command's output, also about a cache that does not match: the start is just slower.
cli_options="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xmx256m -Xlog:disable -Xlog:all=error,aot=off:stderr"
# File access blocks the carrier thread of a virtual thread, so there are more carriers than cores.
daemon_options="$cli_options -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED \
-Djdk.virtualThreadScheduler.parallelism=8"

die() {
    printf 'roost: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf '       %s\n' "$2" >&2
    exit 4
}

# cache NAME: sets `cache` to the file of that name; a package for any Java has none, and uses Java's own
cache() {
    cache=
    [ ! -e "$dist/$1.aot" ] || cache=$dist/$1.aot
}

# Fast path for the commands that harnesses call many times an hour.
start_bridge() {
    cache bridge
    # shellcheck disable=SC2086
    exec "$jdk/bin/java" $cli_options ${cache:+"-XX:AOTCache=$cache"} "-Droost.launcher=$launcher" \
        -cp "$dist/cli.jar" dev.roost.cli.bridge.BridgeMain "$@"
}

start() {
    if [ "${1:-} ${2:-}" = "daemon run" ] && [ $# -eq 2 ]; then
        state=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
        home=${ROOST_HOME:-${state:+$state/roost}}
        [ -n "$home" ] || die "HOME is not set, so Roost cannot find your runs." "Set HOME, or ROOST_HOME."
        ROOST_DAEMON=1
        export ROOST_DAEMON
        cache daemon
        # shellcheck disable=SC2086
        exec "$jdk/bin/java" $daemon_options ${cache:+"-XX:AOTCache=$cache"} -Droost.version=$roost_version \
            -cp "$daemon_classpath" dev.roost.daemon.DaemonMain "$home"
    fi
    terminal=false input=false columns=100
    [ ! -t 0 ] || input=true
    if [ -t 1 ]; then
        terminal=true
        size=$(stty size 2>/dev/null </dev/tty) && columns=${size#* }
    fi
    cache daemon
    daemon_cache=$cache
    cache cli
    # shellcheck disable=SC2086
    exec "$jdk/bin/java" $cli_options ${cache:+"-XX:AOTCache=$cache"} -Droost.version=$roost_version \
        "-Droost.launcher=$launcher" "-Droost.share=$share" "-Droost.jvm=$daemon_options" \
        ${daemon_cache:+"-Droost.daemon.aot=$daemon_cache"} "-Droost.daemon.classpath=$daemon_classpath" \
        "-Droost.terminal=$terminal" "-Droost.terminal.input=$input" "-Droost.columns=$columns" \
        -cp "$classpath" dev.roost.cli.CliMain "$@"
}
