package dev.roost.conformance.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the model is to do, step by step, as written in a prompt: {@code SCRIPT=bash?cmd=make|status?code=429&once|all is well},
 * to the end of the line. It travels in the conversation, so a killed and resumed agent goes on where it was.
 */
record ModelScript(String source, List<ScriptStep.Written> steps) {

    private static final Pattern WRITTEN = Pattern.compile("SCRIPT=([^\\r\\n]+)");

    static Optional<ModelScript> in(String prompt) {
        return WRITTEN.matcher(prompt)
                .results()
                .reduce((_, last) -> last)
                .map(found -> found.group(1).strip())
                .map(source -> new ModelScript(
                        source,
                        Stream.of(source.split("\\|", -1)).map(ScriptStep::read).toList()));
    }

    /**
     * The step for an agent that was answered so many times already. A step that happens once leaves no turn behind, so
     * {@code happened} has to tell, by the step's own name, whether it did. Past its end a script repeats its last words.
     */
    ScriptStep.Written after(int turns, Predicate<String> happened) {
        int left = turns;
        for (int i = 0; i < steps.size(); i++) {
            var step = steps.get(i);
            if (step.once() && (left > 0 || happened.test(i + " of " + source))) continue;
            if (left-- == 0) return step;
        }
        var last = steps.getLast();
        return last.scriptStep() instanceof ScriptStep.Say && !last.once() ? last : ScriptStep.read("done");
    }
}
