package dev.roost.checks;

import java.nio.file.Path;

/**
 * One run of a test class.
 *
 * @param portable whether it runs with {@code ROOST_PORTABLE=1}, with only its portable tests
 * @param alone whether no other class may run at the same time
 */
record CheckEntry(Module module, String className, boolean portable, boolean alone) {

    /** A Maven module: its directory, which is the working directory of its tests, and their class path. */
    record Module(Path directory, String classPath) {}

    String simpleName() {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** The name in output and recorded times. */
    String title() {
        return portable ? simpleName() + "@portable" : simpleName();
    }

    /** The name of its files, which is unique even if two modules have classes of one simple name. */
    String fileName() {
        return portable ? className + "@portable" : className;
    }
}
