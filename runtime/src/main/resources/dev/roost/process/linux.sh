# The functions of the scripts that ask the kernel, for Linux; portable.sh has them for any other Unix. Each installed script
# begins with one of the two files.

# process: pid and start time of the calling shell or subshell
process() {
    read -r ROOST_LINE </proc/self/stat
    ROOST_PID=${ROOST_LINE%% *}
    set -- ${ROOST_LINE##*) }
    ROOST_BORN=${20}
}

# boot: the id of this boot of the machine
boot() { read -r ROOST_BOOT </proc/sys/kernel/random/boot_id; }

# opened N FILE: whether descriptor N is open on FILE; after a write to N, whether FILE has the data
opened() { [ "$2" -ef "/proc/self/fd/$1" ]; }

# durable FILE…: returns when the files are on disk; does nothing where there is no sync
durable() { sync "$@" || [ $? = 127 ]; }

# look: hundredths of a second since the machine booted, including sleep
look() {
    read -r now rest </proc/uptime
    now=$((${now%.*} * 100 + 1${now#*.} - 100))
}

