package dev.roost.agent;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The process of an agent written in Java: one turn of the class that is named first, with its prompt on standard input. */
public final class AgentMain {

    private AgentMain() {}

    public static void main(String[] words) {
        var eventWriter = new EventWriter(new FileOutputStream(FileDescriptor.out));
        var printed = eventWriter.printed();
        System.setOut(printed);
        int status = 0;
        try {
            var result = turn(eventWriter, words, System.getenv());
            printed.close();
            eventWriter.done(result == null ? "" : result);
        } catch (Throwable e) {
            printed.close();
            e.printStackTrace();
            eventWriter.gaveUp(words(e));
            status = 1;
        }
        System.exit(status); // whatever threads it has left
    }

    private static @Nullable String turn(EventWriter eventWriter, String[] words, Map<String, String> environment)
            throws Exception {
        if (words.length == 0) throw new IllegalArgumentException("No class is named that would do the work.");
        var id = given(environment, "ROOST_RUN_ID");
        int attempt = Integer.parseInt(given(environment, "ROOST_ATTEMPT"));
        int turn = Integer.parseInt(given(environment, "ROOST_TURN"));
        var run = Path.of(given(environment, "ROOST_HOME"), "runs", id);
        var prompt = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        try (var journal = Journal.open(run, attempt, turn, prompt)) {
            eventWriter.session(id);
            var arguments = List.of(words).subList(1, words.length);
            var context = new Turn(id, attempt, turn, arguments, run, journal, eventWriter, new Turn.Spent());
            return agent(words[0]).work(context);
        }
    }

    private static String given(Map<String, String> environment, String name) {
        var value = environment.get(name);
        if (value == null)
            throw new IllegalStateException("%s is not set: this program is started by Roost.".formatted(name));
        return value;
    }

    private static JavaAgent agent(String name) throws ReflectiveOperationException {
        return Class.forName(name).asSubclass(JavaAgent.class).getConstructor().newInstance();
    }

    /** What went wrong, in one line. */
    static String words(Throwable e) {
        return switch (e) {
            case ClassNotFoundException _ -> "There is no class %s on the class path.".formatted(e.getMessage());
            case NoSuchMethodException _ -> "The class has no public constructor without parameters: " + e.getMessage();
            case ClassCastException _ when e.getMessage() == null -> "The class is no JavaAgent.";
            default ->
                e.getMessage() == null ? e.getClass().getName() : e.getClass().getSimpleName() + ": " + e.getMessage();
        };
    }
}
