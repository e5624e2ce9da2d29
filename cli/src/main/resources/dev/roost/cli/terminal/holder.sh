# Holds the terminal for a full-screen view, until standard input ends: so it is given back even if the view is killed.
# Says "ROWS COLUMNS" at first and whenever the window changes.
exec 3<&0 </dev/tty || exit 1
found=$(stty -g) || exit 1
trap '' HUP INT QUIT TERM TSTP TTOU PIPE
# first our own reader, so that a view that dies now is noticed
cat <&3 >/dev/null &
reader=$!
exec 3<&-
trap 'stty size' WINCH
# every key is for the view; another screen, no cursor, no line runs over, and pastes are marked as such
stty -icanon -echo -isig -ixon -icrnl -iexten min 1 time 0
ours=$(stty -g)
printf '\033[?1049h\033[?25l\033[?7l\033[?2004h' >/dev/tty
stty size
while kill -0 "$reader" 2>/dev/null; do
    wait "$reader" # a change of the window interrupts it
done
printf '\033[0m\033[?2004l\033[?7h\033[?25h\033[?1049l' >/dev/tty
# of a view that was killed, the shell may have noticed first and made the terminal its own
[ "$(stty -g)" != "$ours" ] || stty "$found"
