# Sourced by ./roost and ./build, after start.sh.

# warm_up BEFORE AFTER: runs a daemon, a client and a bridge, each recording the classes it loads, so that later ones start much
# faster. The JVM's option is BEFORE, the program's name and AFTER.
warm_up() {
    home=$(mktemp -d /var/tmp/roost-warm-XXXXXX) || return
    # without the user's settings and cluster
    # shellcheck disable=SC2086
    env -u ROOST_LEDGER XDG_CONFIG_HOME="$home" ROOST_DAEMON=1 "$jdk/bin/java" $daemon_options "$1daemon$2" \
        -cp "$daemon_classpath" dev.roost.daemon.DaemonMain "$home" &
    daemon=$!
    warm_up_with "$daemon" "$home" "$@"
    warmed=$?
    kill "$daemon"
    wait "$daemon"
    rm -rf "$home"
    return "$warmed"
}

warm_up_with() {
    until [ -S "$2/roost.sock" ]; do
        kill -0 "$1" || return
        sleep 0.1
    done
    for words in "run --wait -- echo hello" "ps --all" "inbox"; do
        # shellcheck disable=SC2086
        ROOST_HOME=$2 "$jdk/bin/java" $cli_options -cp "$classpath" dev.roost.cli.CliMain $words || return
    done
    # shellcheck disable=SC2086
    ROOST_HOME=$2 "$jdk/bin/java" $cli_options "$3cli$4" \
        -cp "$classpath" dev.roost.cli.CliMain ps --all --owner cli:warm || return # loads the parser's classes, too
    # shellcheck disable=SC2086
    ROOST_HOME=$2 "$jdk/bin/java" $cli_options "$3bridge$4" \
        -cp "$dist/cli.jar" dev.roost.cli.bridge.BridgeMain hook warm up </dev/null
}
