package dev.roost.docgen;

import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.util.List;
import java.util.stream.Stream;

/** causes.md: statuses, phases and causes. */
final class CausesPage {

    private CausesPage() {}

    static String text() {
        return """
                # Statuses, phases, causes

                Every surface uses these words. [lifecycle.md](../lifecycle.md) draws the state machine.

                ## Statuses

                """
                + Markdown.table(
                        List.of("status", "ended", "meaning"),
                        Stream.of(Status.values())
                                .map(one -> List.of(Markdown.code(one.word()), one.ended() ? "yes" : "", one.meaning()))
                                .toList())
                + "## Phases\n\nThey refine the two live statuses.\n\n"
                + Markdown.table(
                        List.of("phase", "of", "meaning"),
                        Stream.of(Phase.values())
                                .map(one -> List.of(
                                        Markdown.code(one.word()),
                                        Markdown.code(one.of().word()),
                                        one.meaning()))
                                .toList())
                + """
                ## Causes

                Every ended attempt has one of these. Its evidence (`roost show`, `evidence` in JSON) has the raw exit status, the pid with its start time and
                boot, the last sign of life and the end of its standard error.

                """
                + Markdown.table(
                        List.of("cause", "meaning"),
                        Stream.of(Cause.values())
                                .map(one -> List.of(Markdown.code(one.word()), one.inWords()))
                                .toList());
    }
}
