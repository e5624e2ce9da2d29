package dev.roost.os;

/** The search path for programs that Roost itself starts. */
public final class ProgramPath {

    /** The directories of a system's own programs: on a Mac lsof is in the fourth. */
    public static final String SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

    private ProgramPath() {}
}
