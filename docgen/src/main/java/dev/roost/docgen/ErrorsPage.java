package dev.roost.docgen;

import dev.roost.base.ErrorCode;
import dev.roost.cli.client.CliErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** errors.md: every error code, with a sentence of the sources as an example. */
final class ErrorsPage {

    /** A code and the first sentence in the same statement. */
    private static final Pattern SENTENCE =
            Pattern.compile("ErrorCode\\.([A-Z_]+)[^\";]*\"((?:[A-Z%]|git |\\\\\")(?:[^\"\\\\]|\\\\.)*)\"");

    private ErrorsPage() {}

    /** The general hint of each code. */
    static Map<String, String> hints() {
        var hints = new TreeMap<String, String>();
        for (var code : ErrorCode.values()) hints.put(code.code(), code.hint());
        for (var code : CliErrorCode.values()) hints.put(code.code(), code.hint());
        return hints;
    }

    static String text(Path root) {
        var sentences = sentences(root);
        return """
                # Error codes

                Every surface has errors in one shape: `{"error": {"code", "message", "hint"}}`; a command prints the message and the hint, and with `--json` the
                object. The code is stable, the sentences are not. `…` stands for a value; of a code with several sentences, one is
                listed, and of several hints the most general one. Help by symptom: [troubleshooting.md](../troubleshooting.md).

                """
                + Markdown.table(
                        List.of("code", "message", "hint"),
                        hints().entrySet().stream()
                                .map(one -> List.of(
                                        Markdown.code(one.getKey()),
                                        filled(sentences.getOrDefault(one.getKey(), "(names the error and its place)")),
                                        Markdown.plain(one.getValue())))
                                .toList());
    }

    private static Map<String, String> sentences(Path root) {
        var sentences = new TreeMap<String, String>();
        for (var module : List.of("cli", "cluster", "daemon", "runtime"))
            try (var files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                for (var file : files.filter(Files::isRegularFile).sorted().toList())
                    SENTENCE.matcher(Files.readString(file)).results().forEach(found -> {
                        var code = found.group(1).toLowerCase(Locale.ROOT);
                        sentences.putIfAbsent(code, found.group(2).translateEscapes());
                    });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        return sentences;
    }

    /** Replaces format specifiers by an ellipsis. */
    private static String filled(String text) {
        return Markdown.plain(text.replaceAll("%,?[.0-9]*[sdfx]", "…").replace("%%", "%"));
    }
}
