package dev.roost.cli.install;

import java.util.List;
import picocli.CommandLine.Command;

@Command(
        name = "uninstall",
        description =
                "Remove from a harness's files what install wrote. Runs continue, and their notices stay pending.")
public final class UninstallCommand extends HarnessEditCommand {

    @Override
    HarnessEditPlan plan(Harness harness) {
        return HarnessEditPlan.uninstall(harness);
    }

    @Override
    String nothing(Harness harness) {
        return harness.fallback()
                .map(how -> "Nothing to change: Roost is wired into %s by %s; remove it there."
                        .formatted(harness.name(), how))
                .orElse("Nothing to change: Roost is not wired into %s.".formatted(harness.name()));
    }

    @Override
    List<String> notes(Harness harness) {
        return List.of("Open sessions keep their old configuration until you restart them.");
    }
}
