package dev.roost.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** What an agent logged about itself outside the home. Roost neither writes nor reads this file. */
record AgentLog(List<ExactProcess> starts, List<ExactProcess> children, OptionalInt end, boolean wrote) {

    static final AgentLog NONE = new AgentLog(List.of(), List.of(), OptionalInt.empty(), false);

    static AgentLog of(Path file) {
        try {
            var starts = new ArrayList<ExactProcess>();
            var children = new ArrayList<ExactProcess>();
            var end = OptionalInt.empty();
            boolean wrote = false;
            for (var line : Files.readAllLines(file)) {
                var words = line.split(" ", -1);
                switch (words[0]) {
                    case "start" -> starts.add(proc(words));
                    case "child" -> children.add(proc(words));
                    case "end" -> end = OptionalInt.of(Integer.parseInt(words[1]));
                    case "wrote" -> wrote = true;
                    default -> throw new IllegalStateException(file + ": " + line);
                }
            }
            return new AgentLog(starts, children, end, wrote);
        } catch (IOException e) {
            return NONE; // it never started
        }
    }

    private static ExactProcess proc(String[] words) {
        return new ExactProcess(Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    List<ExactProcess> processes() {
        var all = new ArrayList<>(starts);
        all.addAll(children);
        return all;
    }

    /** The statuses of an end that it allows: a fault may cause any but success. */
    Set<String> possible(boolean harmed) {
        var possible = new TreeSet<String>();
        if (harmed || end.isEmpty()) possible.addAll(Set.of("failed", "abandoned", "canceled_by_user"));
        if (end.isPresent())
            possible.addAll(end.getAsInt() == 0 ? Set.of("completed", "completed_empty") : Set.of("failed"));
        return possible;
    }
}
