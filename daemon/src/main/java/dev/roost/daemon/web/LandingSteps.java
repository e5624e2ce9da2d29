package dev.roost.daemon.web;

import dev.roost.landing.Landing;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import java.util.ArrayList;
import java.util.List;

/** The landing of a run's code as a small picture with five steps, from a changed file to a merge. */
final class LandingSteps {

    private static final List<Landing.Stage> STEPS = List.of(
            Landing.Stage.UNCOMMITTED,
            Landing.Stage.COMMITTED,
            Landing.Stage.PUSHED,
            Landing.Stage.PR_OPEN,
            Landing.Stage.MERGED);
    private static final int STEP = 11;
    private static final int HEIGHT = 18;

    private LandingSteps() {}

    static Html of(RunRecord run) {
        if (run.work().isEmpty())
            return Html.of("<span class=\"ladder none\" title=\"no worktree of its own\">no worktree</span>");
        var worktree = run.work().get();
        var landing = worktree.landing();
        var words = landing.map(WorktreeRecord.LandingState::words).orElse("not looked at yet");
        var stage = landing.flatMap(one -> Landing.Stage.of(one.stage())).orElse(Landing.Stage.NOTHING);
        boolean stuck = words.contains("mid_")
                || words.contains("conflict")
                || (run.status().ended() && stage == Landing.Stage.UNCOMMITTED);
        return Html.of(
                "<span class=\"ladder{}\" title=\"code: {}\">{}<span class=\"rung\">{}</span></span>",
                stuck ? " stuck" : "",
                words,
                picture(stage, words),
                landing.isEmpty() ? "…" : word(stage));
    }

    static String word(Landing.Stage stage) {
        return switch (stage) {
            case UNKNOWN -> "unknown";
            case NOTHING -> "no change";
            case UNCOMMITTED -> "uncommitted";
            case COMMITTED -> "committed";
            case PUSHED -> "pushed";
            case PR_OPEN -> "PR open";
            case MERGED -> "merged";
        };
    }

    private static Html picture(Landing.Stage stage, String words) {
        var bars = new ArrayList<Html>();
        for (int i = 0; i < STEPS.size(); i++) {
            int height = 6 + 3 * i;
            bars.add(Html.of(
                    "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"8\" height=\"{}\" rx=\"1.5\"/>",
                    STEPS.get(i).compareTo(stage) <= 0 ? "on" : "off",
                    i * STEP,
                    HEIGHT - height,
                    height));
        }
        return Html.of(
                "<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"code: {}\">{}</svg>",
                STEPS.size() * STEP - 3,
                HEIGHT,
                words,
                Html.all(bars));
    }
}
