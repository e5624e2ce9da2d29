package dev.roost.base;

/** No run in the caller's scope has this id, prefix or name. */
public final class NoSuchRun extends RoostError {
    public NoSuchRun(String given) {
        super(
                "no_such_run",
                "There is no run \"%s\".".formatted(TextFormat.printable(given)),
                "Run `roost ps --all` to list all runs.");
    }
}
