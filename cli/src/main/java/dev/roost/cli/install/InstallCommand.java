package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
        name = "install",
        description = {
            "Wire Roost into a harness, for all of your projects: its tools, and hooks that deliver notices to sessions.",
            "Shows the changes to its files first, and keeps a backup beside each. `roost uninstall` removes them."
        })
public final class InstallCommand extends HarnessEditCommand {

    @Override
    HarnessEditPlan plan(Harness harness) {
        if (harness.fallback().isPresent())
            throw new CliError(
                    CliError.REFUSED,
                    "wired_already",
                    "Roost is already wired in, by %s."
                            .formatted(harness.fallback().get()),
                    "Keep that, or remove it first: both together would deliver each notice twice.");
        return HarnessEditPlan.install(harness);
    }

    @Override
    String nothing(Harness harness) {
        return "Nothing to change: Roost is wired into %s.".formatted(harness.name());
    }

    @Override
    List<String> notes(Harness harness) {
        var notes = new ArrayList<>(List.of("Restart open sessions to pick up the change."));
        if (HarnessPaths.of(invocation).onPath(harness.program()).isEmpty())
            notes.add("%s is not on your PATH yet.".formatted(harness.program()));
        notes.addAll(harness.notes());
        notes.add("`roost doctor` tests it; `roost uninstall %s` removes it.".formatted(harness.name()));
        return notes;
    }
}
