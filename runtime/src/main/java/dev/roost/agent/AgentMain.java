package dev.roost.agent;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The main class of a Java agent's process: it runs one turn of the class in the first argument; the prompt is on stdin. */
public final class AgentMain {

    private AgentMain() {}

    public static void main(String[] args) {
        var eventWriter = new EventWriter(new FileOutputStream(FileDescriptor.out));
        var notes = eventWriter.noteStream();
        System.setOut(notes);
        int status = 0;
        try {
            var result = turn(eventWriter, args, System.getenv());
            notes.close();
            eventWriter.done(result == null ? "" : result);
        } catch (Throwable e) {
            notes.close();
            e.printStackTrace();
            eventWriter.failed(message(e));
            status = 1;
        }
        System.exit(status); // the agent may have left threads running
    }

    private static @Nullable String turn(EventWriter eventWriter, String[] args, Map<String, String> environment)
            throws Exception {
        if (args.length == 0) throw new IllegalArgumentException("The first argument must be the agent's class name.");
        var id = required(environment, "ROOST_RUN_ID");
        int attempt = Integer.parseInt(required(environment, "ROOST_ATTEMPT"));
        int turn = Integer.parseInt(required(environment, "ROOST_TURN"));
        var run = Path.of(required(environment, "ROOST_HOME"), "runs", id);
        var prompt = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        try (var journal = Journal.open(run, attempt, turn, prompt)) {
            eventWriter.session(id);
            var arguments = List.of(args).subList(1, args.length);
            var context = new Turn(id, attempt, turn, arguments, run, journal, eventWriter, new Turn.UsageTotals());
            return agent(args[0]).work(context);
        }
    }

    private static String required(Map<String, String> environment, String name) {
        var value = environment.get(name);
        if (value == null)
            throw new IllegalStateException("%s is not set: only Roost starts this program.".formatted(name));
        return value;
    }

    private static JavaAgent agent(String name) throws ReflectiveOperationException {
        return Class.forName(name).asSubclass(JavaAgent.class).getConstructor().newInstance();
    }

    /** The error in one line. */
    static String message(Throwable e) {
        return switch (e) {
            case ClassNotFoundException _ -> "There is no class %s on the class path.".formatted(e.getMessage());
            case NoSuchMethodException _ -> "The class has no public constructor without parameters: " + e.getMessage();
            case ClassCastException _ when e.getMessage() == null -> "The class does not implement JavaAgent.";
            default ->
                e.getMessage() == null ? e.getClass().getName() : e.getClass().getSimpleName() + ": " + e.getMessage();
        };
    }
}
