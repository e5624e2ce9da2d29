# What our scripts ask of a Unix that is not Linux, macOS above all; linux.sh asks the same there. One of the two stands before
# each of them. The daemon finds out the same by other means (PortableKernel), so both have to agree to the letter.

# process: pid and start time of the shell, or part of one, that asks: its second, as 20261231235959
process() {
    ROOST_PID=$(exec sh -c 'echo "$PPID"')
    set -- $(LC_ALL=C TZ=UTC0 ps -o lstart= -p "$ROOST_PID") # Thu Dec 31 23:59:59 2026
    ROOST_LINE=JanFebMarAprMayJunJulAugSepOctNovDec
    ROOST_LINE=${ROOST_LINE%%"$2"*}
    set -- "$5" $((${#ROOST_LINE} / 3 + 101)) $((${3#0} + 100)) "${4%%:*}" "${4#*:}"
    ROOST_BORN=$1${2#1}${3#1}$4${5%:*}${5#*:}
}

# boot: which boot of the machine this is; the daemon has told
boot() { : "$ROOST_BOOT"; }

# opened N FILE: whether descriptor N is this file, open; after a write to N, whether FILE has it
opened() { [ -s "$2" ]; }

# durable FILE…: returns when the disk has them, or as near as this system comes to that; one without sync comes no nearer
durable() { sync "$@" 2>/dev/null || sync || [ $? = 127 ]; }

# look: hundredths of a second since the machine booted, its sleep included
look() {
    now=$(perl -e 'use Time::HiRes; my $c = eval { Time::HiRes::CLOCK_BOOTTIME() } // Time::HiRes::CLOCK_MONOTONIC();
        printf "%d", 100 * Time::HiRes::clock_gettime($c)')
}

