# What our scripts ask of Linux; portable.sh asks the same of any other Unix. One of the two stands before each of them.

# process: pid and start time of the shell, or part of one, that asks
process() {
    read -r ROOST_LINE </proc/self/stat
    ROOST_PID=${ROOST_LINE%% *}
    set -- ${ROOST_LINE##*) }
    ROOST_BORN=${20}
}

# boot: which boot of the machine this is
boot() { read -r ROOST_BOOT </proc/sys/kernel/random/boot_id; }

# opened N FILE: whether descriptor N is this file, open; after a write to N, whether FILE has it
opened() { [ "$2" -ef "/proc/self/fd/$1" ]; }

# durable FILE…: returns when the disk has them; a system without sync comes no nearer to that
durable() { sync "$@" || [ $? = 127 ]; }

# look: hundredths of a second since the machine booted, its sleep included
look() {
    read -r now rest </proc/uptime
    now=$((${now%.*} * 100 + 1${now#*.} - 100))
}

