# agent.sh FILE JOB SECONDS STATUS: an agent of `roost doctor --chaos`. It logs its actions in FILE, outside of the home:
# `start PID BORN`, `child PID BORN`, `wrote`, `end STATUS`.
set -u
file=$1 job=$2 seconds=$3 status=$4

# note WORD PID: logs it with the start time, so that a reused pid is not mistaken for it
note() {
    read -r line <"/proc/$2/stat" || return
    noted="$1 $2"
    # shellcheck disable=SC2086
    set -- ${line##*) }
    printf '%s %s\n' "$noted" "${20}" >>"$file"
}

note start $$
[ -z "${CHAOS_WORK:-}" ] || { printf '%s\n' "$CHAOS_WORK" >"work-$CHAOS_WORK" && printf 'wrote\n' >>"$file"; }
case $job in
quick) echo "a word" ;;
silent) sleep "$seconds" ;;
works)
    echo "begun"
    sleep "$seconds"
    echo "done"
    ;;
prints)
    i=0
    while [ $i -lt 400 ]; do
        i=$((i + 1))
        echo "line $i of 400, with enough in it to fill a page or two when all of them are there"
    done
    sleep "$seconds"
    echo "printed"
    ;;
result)
    sleep "$seconds"
    echo "the result" >"$ROOST_RESULT_FILE"
    ;;
forks)
    sleep 600 &
    note child $!
    sleep 600 >/dev/null 2>&1 &
    note child $!
    sleep "$seconds"
    echo "forked"
    ;;
escapes)
    env -i PATH="$PATH" setsid sleep 600 >/dev/null 2>&1 </dev/null &
    note child $!
    (
        env -i PATH="$PATH" setsid sleep 600 >/dev/null 2>&1 </dev/null &
        note child $!
    )
    sleep "$seconds"
    echo "escaped"
    ;;
long)
    echo "begun"
    sleep 600 &
    note child $!
    wait $!
    echo "woken"
    ;;
esac
printf 'end %s\n' "$status" >>"$file"
exit "$status"
