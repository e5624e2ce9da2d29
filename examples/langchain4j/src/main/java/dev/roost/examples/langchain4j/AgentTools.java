package dev.roost.examples.langchain4j;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.roost.RunRequest;
import dev.roost.Runs;
import dev.roost.base.RoostError;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Background agents as tools of a LangChain4j model, with the names of Roost's own tools. */
final class AgentTools {

    private static final Duration OUTPUT_TIMEOUT = Duration.ofMinutes(5);

    private final Runs runs;

    AgentTools(Runs runs) {
        this.runs = runs;
    }

    @Tool(name = "agent", value = "Starts a background agent and returns its run_id at once.")
    String start(
            @P("What it is to do, with everything it needs to know") String prompt,
            @P("A short name for it") String name) {
        return errorAsText(() -> {
            var run = runs.start(RunRequest.of("worker", prompt).named(name).withMaxTime(Duration.ofHours(1)));
            return "%s. Call agent_output with run_id %s for its result.".formatted(run, run.id());
        });
    }

    @Tool(name = "agent_list", value = "Lists your agents that are at work, and those whose result you have not read.")
    String list() {
        return errorAsText(() -> runs.runs().stream()
                .map(run -> "%s %s".formatted(run.name().orElse("-"), run))
                .collect(Collectors.joining("\n")));
    }

    @Tool(name = "agent_output", value = "Waits for an agent's end and returns its result.")
    String output(@P("Its run_id or name") String run_id) {
        return errorAsText(() -> {
            var run = runs.await(run_id, OUTPUT_TIMEOUT);
            var output = runs.output(run.id());
            return "%s\n%s".formatted(run, output.result().orElseGet(output::text));
        });
    }

    @Tool(name = "agent_send", value = "Continues an agent that has ended with another message.")
    String send(@P("Its run_id or name") String run_id, @P("What to tell it") String message) {
        return errorAsText(() -> runs.send(run_id, message).toString());
    }

    @Tool(name = "agent_stop", value = "Stops an agent and everything it started.")
    String stop(@P("Its run_id or name") String run_id) {
        return errorAsText(() -> runs.stop(run_id).toString());
    }

    /** Returns an error as text, so that the model can react to it. */
    private static String errorAsText(Supplier<String> work) {
        try {
            return work.get();
        } catch (RoostError e) {
            return e.sentence() + " " + e.hint();
        }
    }
}
