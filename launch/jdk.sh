# Sourced by ./roost and ./check: find_jdk sets `jdk` to a JDK of version 25 or later, or fails.

# jdk25 DIR: whether DIR is a JDK of version 25 or later, by its release file
jdk25() {
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r line; do
        case $line in
        JAVA_VERSION=*)
            version=${line#*\"}
            version=${version%%[.\"+-]*}
            [ "$version" -ge 25 ] 2>/dev/null
            return
            ;;
        esac
    done <"$1/release"
    return 1
}

# linked_to FILE: what a chain of links leads to; not every readlink has an option for it
linked_to() (
    file=$1
    while [ -L "$file" ]; do
        link=$(readlink "$file") || return
        case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
    done
    directory=$(CDPATH='' cd -- "${file%/*}" && pwd -P) && printf '%s/%s\n' "$directory" "${file##*/}"
)

find_jdk() {
    on_path=$(command -v javac 2>/dev/null) && on_path=$(linked_to "$on_path") && on_path=${on_path%/bin/javac}
    for candidate in "${JAVA_HOME:-}" "${on_path:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk* \
        "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* "${HOME:-}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        [ -n "$candidate" ] && jdk25 "$candidate" && jdk=$candidate && return
    done
    echo "Roost needs a JDK 25 and found none. Install one (your system's openjdk-25-jdk, or Temurin 25), or set JAVA_HOME." >&2
    return 1
}
