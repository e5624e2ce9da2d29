package dev.roost.base;

/** No run answers to this id, prefix or name in the caller's scope. */
public final class NoSuchRun extends RoostError {
    public NoSuchRun(String given) {
        super(
                "no_such_run",
                "There is no run \"%s\".".formatted(TextFormat.printable(given)),
                "`roost ps --all` lists the runs there are.");
    }
}
