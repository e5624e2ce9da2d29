package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "restore",
        description = {
            "Restore a run's checkpoint, byte for byte.",
            "Recreates its removed worktree, or writes a copy to another directory.",
            "Overwrites nothing."
        })
public final class RestoreCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", description = "the run")
    private String id;

    @Option(names = "--to", paramLabel = "DIR", description = "a directory that does not exist yet, or is empty")
    private @Nullable Path to;

    @Option(names = "--checkpoint", paramLabel = "N", description = "an earlier checkpoint (default: the latest)")
    private @Nullable Long checkpoint;

    @Override
    public int call(DaemonClient client) {
        var params = params().put("run_id", id);
        if (to != null) params.put("to", invocation.normalized(to));
        if (checkpoint != null) params.put("checkpoint", checkpoint);
        return print(client.callOnce("restore", params), answer -> {
            var run = RunEntry.of(answer);
            System.out.println(Style.safe(run.text("restored_to")));
            if (Style.TERMINAL) System.err.println(Style.dim("  " + run.landingText()));
        });
    }
}
