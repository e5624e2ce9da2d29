package dev.roost.docgen;

import java.nio.file.Path;
import java.util.List;

/** errors.md: every error code of the sources. */
final class ErrorsPage {

    private ErrorsPage() {}

    static String text(Path root) {
        return """
                # Error codes

                Every surface has errors in one shape: `{"error": {"code", "message", "hint"}}`; a command prints the message and the hint, and with `--json` the
                object. The code is stable, the sentences are not. `…` stands for a value; of a code with several sentences, one is
                listed. Help by symptom: [troubleshooting.md](../troubleshooting.md).

                """
                + Markdown.table(
                        List.of("code", "message", "hint"),
                        ErrorSources.of(root).values().stream()
                                .map(one -> List.of(
                                        Markdown.code(one.code()),
                                        one.sentence().isEmpty()
                                                ? "(names the error and its place)"
                                                : filled(one.sentence()),
                                        filled(one.hint())))
                                .toList());
    }

    /** Replaces format specifiers by an ellipsis. */
    private static String filled(String text) {
        return Markdown.plain(text.replaceAll("%,?[.0-9]*[sdfx]", "…").replace("%%", "%"));
    }
}
