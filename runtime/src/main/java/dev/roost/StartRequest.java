package dev.roost;

import dev.roost.agents.Task;
import dev.roost.run.Budget;
import dev.roost.run.Owner;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What a caller asks for when it starts a run. */
public record StartRequest(
        Owner owner,
        String agent,
        Task task,
        Optional<String> name,
        Optional<String> description,
        Path cwd,
        Map<String, String> environment,
        String umask,
        Budget budget,
        Optional<Boolean> resumeOnLoss) {}
