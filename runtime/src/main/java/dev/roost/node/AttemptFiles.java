package dev.roost.node;

import dev.roost.agents.AttemptJob;
import dev.roost.agents.LaunchCommand.AgentStdin;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.FaultPoints;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.AttemptSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;

/** The files of an attempt, from which its perch starts the agent. */
public final class AttemptFiles {

    private AttemptFiles() {}

    /** Writes the files of a job. Replaces files that a submission that was never queued left in the directory. */
    public static void write(
            AttemptDirectory directory,
            AttemptJob job,
            Map<String, String> environment,
            String umask,
            FaultPoints faults)
            throws IOException {
        var launch = Drivers.of(job.profile().driver()).launch(job);
        var variables = new TreeMap<>(environment);
        variables.putAll(launch.environment());
        variables.putAll(job.profile().environment());
        record Stdin(AttemptSpec.Input input, String text) {}
        var stdin = switch (launch.input()) {
            case AgentStdin.Empty _ -> new Stdin(AttemptSpec.Input.NOTHING, "");
            case AgentStdin.Text(var all) -> new Stdin(AttemptSpec.Input.FILE, all);
            case AgentStdin.Pipe(var first) -> new Stdin(AttemptSpec.Input.PIPE, first);
        };
        var argv = new ArrayList<String>(job.profile().launcher());
        if (job.inWorktree()) argv.addAll(directory.setup().words());
        argv.addAll(launch.argv());
        var spec = new AttemptSpec(argv, job.cwd(), umask, stdin.input(), job.session());
        faults.before(FaultPoints.Step.SPEC);
        directory.create(spec, variables, job.task().prompt(), stdin.text());
        faults.after(FaultPoints.Step.SPEC);
    }
}
