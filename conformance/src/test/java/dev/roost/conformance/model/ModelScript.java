package dev.roost.conformance.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The steps of the model, as written in a prompt: {@code SCRIPT=bash?cmd=make|status?code=429&once|all is well}, to the end of
 * the line. It is part of the conversation, so a killed and resumed agent continues at its step.
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
     * The step after so many answers. A step that happens once leaves no answer, so {@code happened} tells by its name whether it
     * happened. After its end a script repeats its last text.
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
