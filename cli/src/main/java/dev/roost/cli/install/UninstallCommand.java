package dev.roost.cli.install;

import java.util.List;
import picocli.CommandLine.Command;

@Command(
        name = "uninstall",
        description =
                "Take out of a harness's files what install wrote there, and nothing else. Runs go on, and their notices wait.")
public final class UninstallCommand extends HarnessEditCommand {

    @Override
    HarnessEditPlan plan(Harness harness) {
        return HarnessEditPlan.uninstall(harness);
    }

    @Override
    String nothing(Harness harness) {
        return harness.fallback()
                .map(how -> "Nothing to change: Roost is wired into %s by %s, which is removed there."
                        .formatted(harness.name(), how))
                .orElse("Nothing to change: Roost is not wired into %s.".formatted(harness.name()));
    }

    @Override
    List<String> notes(Harness harness) {
        return List.of("Sessions that are open now go on with what they started with.");
    }
}
