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
                object. The code is stable, the sentences are not. `…` stands for what is filled in; where one code has several sentences, one of them is
                here. What to do by what you see: [troubleshooting.md](../troubleshooting.md).

                """
                + Markdown.table(
                        List.of("code", "message", "hint"),
                        ErrorSources.of(root).values().stream()
                                .map(one -> List.of(
                                        Markdown.code(one.code()),
                                        one.sentence().isEmpty()
                                                ? "(says what is wrong where)"
                                                : filled(one.sentence()),
                                        filled(one.hint())))
                                .toList());
    }

    /** Replaces format specifiers by an ellipsis. */
    private static String filled(String text) {
        return Markdown.plain(text.replaceAll("%,?[.0-9]*[sdfx]", "…").replace("%%", "%"));
    }
}
