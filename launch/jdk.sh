# Sourced by launchers and builds: find_jdk and find_java set `jdk` to the directory of a Java of version 25 or later, or fail.

# java25 DIR PROGRAM: whether DIR is a Java of version 25 or later that has PROGRAM, by its release file
java25() {
    [ -x "$1/bin/$2" ] && [ -r "$1/release" ] || return 1
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

# linked_to FILE: the target of a chain of links; not every readlink has an option for that
linked_to() (
    file=$1
    while [ -L "$file" ]; do
        link=$(readlink "$file") || return
        case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
    done
    directory=$(CDPATH='' cd -- "${file%/*}" && pwd -P) && printf '%s/%s\n' "$directory" "${file##*/}"
)

# search_java PROGRAM: searches the usual installation directories of Java
search_java() {
    on_path=$(command -v "$1" 2>/dev/null) && on_path=$(linked_to "$on_path") && on_path=${on_path%/bin/"$1"}
    for candidate in "${JAVA_HOME:-}" "${on_path:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk* \
        "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* "${HOME:-}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        [ -n "$candidate" ] && java25 "$candidate" "$1" && jdk=$candidate && return
    done
    return 1
}

find_jdk() {
    search_java javac && return
    echo "Roost needs a JDK 25 and found none. Install one (your system's openjdk-25-jdk, or Temurin 25), or set JAVA_HOME." >&2
    return 1
}

find_java() {
    search_java java && return
    echo "Roost needs Java 25 and found none. Install one (your system's openjdk-25-jre, or Temurin 25), or set JAVA_HOME." >&2
    echo "Or take Roost's self-contained archive, which needs no Java." >&2
    return 1
}
