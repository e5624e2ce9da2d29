# The functions of the scripts that ask the kernel, for a Unix that is not Linux, above all macOS; linux.sh has them for Linux.
# Each installed script begins with one of the two files. PortableKernel computes the same values in the daemon and must
# produce exactly the same text.

# process: pid and start time of the calling shell or subshell, to the second, as 20261231235959
process() {
    ROOST_PID=$(exec sh -c 'echo "$PPID"')
    set -- $(LC_ALL=C TZ=UTC0 ps -o lstart= -p "$ROOST_PID") # Thu Dec 31 23:59:59 2026
    ROOST_LINE=JanFebMarAprMayJunJulAugSepOctNovDec
    ROOST_LINE=${ROOST_LINE%%"$2"*}
    set -- "$5" $((${#ROOST_LINE} / 3 + 101)) $((${3#0} + 100)) "${4%%:*}" "${4#*:}"
    ROOST_BORN=$1${2#1}${3#1}$4${5%:*}${5#*:}
}

# boot: the id of this boot of the machine, which the daemon passes
boot() { : "$ROOST_BOOT"; }

# opened N FILE: whether descriptor N is open on FILE; after a write to N, whether FILE has the data
opened() { [ -s "$2" ]; }

# durable FILE…: returns when the files are on disk, as far as this system can tell; does nothing where there is no sync
durable() { sync "$@" 2>/dev/null || sync || [ $? = 127 ]; }

# look: hundredths of a second since the machine booted, including sleep
look() {
    now=$(perl -e 'use Time::HiRes; my $c = eval { Time::HiRes::CLOCK_BOOTTIME() } // Time::HiRes::CLOCK_MONOTONIC();
        printf "%d", 100 * Time::HiRes::clock_gettime($c)')
}

