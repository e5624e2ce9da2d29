# Holds the terminal for a full-screen view until standard input ends, and restores it even if the view is killed.
# Prints "ROWS COLUMNS" first and at each change of the window.
exec 3<&0 </dev/tty || exit 1
found=$(stty -g) || exit 1
trap '' HUP INT QUIT TERM TSTP TTOU PIPE
# start the reader first, so that the death of the view is noticed from here on
cat <&3 >/dev/null &
reader=$!
exec 3<&-
trap 'stty size' WINCH
# raw keys, alternate screen, no cursor, no line wrap, bracketed paste
stty -icanon -echo -isig -ixon -icrnl -iexten min 1 time 0
ours=$(stty -g)
printf '\033[?1049h\033[?25l\033[?7l\033[?2004h' >/dev/tty
stty size
while kill -0 "$reader" 2>/dev/null; do
    wait "$reader" # a change of the window interrupts it
done
printf '\033[0m\033[?2004l\033[?7h\033[?25h\033[?1049l' >/dev/tty
# after a kill of the view, the user's shell may have set the terminal already
[ "$(stty -g)" != "$ours" ] || stty "$found"
