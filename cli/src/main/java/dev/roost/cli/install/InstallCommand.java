package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
        name = "install",
        description = {
            "Wire Roost into a harness, for you and all of your projects: its tools, and hooks that tell sessions of their runs.",
            "Shows what would change in its files first, and keeps a backup beside each. `roost uninstall` takes it back."
        })
public final class InstallCommand extends HarnessEditCommand {

    @Override
    HarnessEditPlan plan(Harness harness) {
        if (harness.fallback().isPresent())
            throw new CliError(
                    CliError.REFUSED,
                    "wired_already",
                    "Roost is wired in already, by %s."
                            .formatted(harness.fallback().get()),
                    "Keep that, or remove it first: with both, everything would be reported twice.");
        return HarnessEditPlan.install(harness);
    }

    @Override
    String nothing(Harness harness) {
        return "Nothing to change: Roost is wired into %s.".formatted(harness.name());
    }

    @Override
    List<String> notes(Harness harness) {
        var notes = new ArrayList<>(List.of("Sessions that are open now know of it once they are started anew."));
        if (HarnessPaths.of(invocation).onPath(harness.program()).isEmpty())
            notes.add("There is no %s on your PATH yet.".formatted(harness.program()));
        notes.addAll(harness.notes());
        notes.add("`roost doctor` tries it; `roost uninstall %s` takes it back.".formatted(harness.name()));
        return notes;
    }
}
