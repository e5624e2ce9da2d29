package dev.roost.examples.langchain4j;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.roost.RunRequest;
import dev.roost.Runs;
import dev.roost.base.RoostError;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Background agents as tools of a LangChain4j model, under the names that Roost's own tools have. */
final class AgentTools {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Runs runs;

    AgentTools(Runs runs) {
        this.runs = runs;
    }

    @Tool(name = "agent", value = "Starts a background agent and returns its run_id at once.")
    String start(
            @P("What it is to do, with everything it needs to know") String prompt,
            @P("A short name for it") String name) {
        return said(() -> {
            var run = runs.start(RunRequest.of("worker", prompt).named(name).withMaxTime(Duration.ofHours(1)));
            return "%s. Call agent_output with run_id %s for its result.".formatted(run, run.id());
        });
    }

    @Tool(name = "agent_list", value = "Lists your agents that are at work, and those whose result you have not read.")
    String list() {
        return said(() -> runs.runs().stream()
                .map(run -> "%s %s".formatted(run.name().orElse("-"), run))
                .collect(Collectors.joining("\n")));
    }

    @Tool(name = "agent_output", value = "Waits for an agent's end and returns its result.")
    String output(@P("Its run_id or name") String run_id) {
        return said(() -> {
            var run = runs.await(run_id, PATIENCE);
            var output = runs.output(run.id());
            return "%s\n%s".formatted(run, output.result().orElseGet(output::text));
        });
    }

    @Tool(name = "agent_send", value = "Continues an agent that has ended with another message.")
    String send(@P("Its run_id or name") String run_id, @P("What to tell it") String message) {
        return said(() -> runs.send(run_id, message).toString());
    }

    @Tool(name = "agent_stop", value = "Stops an agent and everything it started.")
    String stop(@P("Its run_id or name") String run_id) {
        return said(() -> runs.stop(run_id).toString());
    }

    /** A model can make use of what went wrong, if it is told. */
    private static String said(Supplier<String> work) {
        try {
            return work.get();
        } catch (RoostError e) {
            return e.sentence() + " " + e.hint();
        }
    }
}
