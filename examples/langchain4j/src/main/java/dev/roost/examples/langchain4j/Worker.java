package dev.roost.examples.langchain4j;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.service.AiServices;
import dev.roost.agent.Context;
import dev.roost.agent.JavaAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A LangChain4j agent as a background worker. */
public final class Worker implements JavaAgent {

    interface Assistant {
        String chat(String prompt);
    }

    /** The worker's tools. Each call is a step, so a finished call is not repeated after a loss. */
    static final class WorkerTools {

        private final Context context;

        WorkerTools(Context context) {
            this.context = context;
        }

        @Tool(name = "write_note", value = "Adds a line to a file.")
        String write(@P("The file") String file, @P("The line") String line) throws IOException {
            return context.step("write to " + file, () -> {
                Files.writeString(Path.of(file), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                return "written";
            });
        }
    }

    @Override
    public String work(Context context) {
        return AiServices.builder(Assistant.class)
                .chatModel(new StepModel(Model.ofEnvironment(), context))
                .tools(new WorkerTools(context))
                .build()
                .chat(context.prompt());
    }
}
