package dev.roost.docgen;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Finds all errors in the sources: places with a code, a sentence and a hint. */
final class ErrorSources {

    /** An error code with the sentences of the first place that has some. */
    record ErrorSource(String code, String sentence, String hint) {}

    private static final Pattern CODE = Pattern.compile("(?!roost_)[a-z][a-z0-9]*(_[a-z0-9]+)*");
    private static final Pattern SENTENCE = Pattern.compile("[A-Z%\"`/].*[.?!…]", Pattern.DOTALL);
    private static final List<String> MODULES = List.of("runtime", "cluster", "daemon", "cli");
    private static final List<String> KINDS =
            List.of("BadInput", "Refusal", "Broken", "CliError", "Source", "NotEditable", "super");

    /** Codes that look like errors but are doctor results or metrics. */
    private static final List<String> OTHERS = List.of("good", "warning", "bad", "gauge", "counter");

    private final Map<String, ErrorSource> found = new TreeMap<>();

    private ErrorSources() {}

    static Map<String, ErrorSource> of(Path root) {
        var sources = new ErrorSources();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(
                    null, files, null, List.of(), null, files.getJavaFileObjectsFromPaths(paths(root)));
            for (var unit : task.parse()) unit.accept(sources.new Scanner(), null);
            return sources.found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> paths(Path root) throws IOException {
        Stream<Path> all = Stream.empty();
        for (var module : MODULES) {
            try (var tree = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                all = Stream.concat(all, tree.filter(file -> file.toString().endsWith(".java")).toList().stream());
            }
        }
        return all.sorted().toList();
    }

    private final class Scanner extends TreeScanner<@Nullable Void, @Nullable Void> {

        @Override
        public @Nullable Void visitNewClass(NewClassTree node, @Nullable Void nothing) {
            see(node.getIdentifier().toString(), node.getArguments());
            return super.visitNewClass(node, null);
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree node, @Nullable Void nothing) {
            see(node.getMethodSelect().toString(), node.getArguments());
            return super.visitMethodInvocation(node, null);
        }

        /** Recognizes a helper that creates an error by its arguments. */
        private void see(String called, List<? extends ExpressionTree> given) {
            var maker = called.replaceAll("(?s).*\\.", "");
            if (OTHERS.contains(maker)) return;
            boolean certain = KINDS.contains(maker);
            for (int i = 0; i < Math.min(2, given.size()); i++) {
                var code = words(given.get(i)).filter(text -> CODE.matcher(text).matches());
                if (code.isEmpty()) continue;
                var sentence = at(given, i + 1);
                boolean isSentence = sentence.filter(
                                text -> SENTENCE.matcher(text).matches())
                        .isPresent();
                if (!isSentence && !(certain && given.size() > i + 2)) continue;
                var name = List.of("notReady", "checkStep").contains(maker) ? "not_ready_" + code.get() : code.get();
                var made = new ErrorSource(
                        name,
                        isSentence || certain ? sentence.orElse("") : "",
                        at(given, i + 2).orElse(""));
                found.merge(name, made, (old, other) -> old.sentence.isEmpty() ? other : old);
                return;
            }
        }

        private Optional<String> at(List<? extends ExpressionTree> given, int i) {
            return i < given.size() ? words(given.get(i)) : Optional.empty();
        }
    }

    /** The text of a literal, of a formatted literal, or of concatenated ones. */
    private static Optional<String> words(ExpressionTree tree) {
        return switch (tree) {
            case LiteralTree literal when literal.getValue() instanceof String text -> Optional.of(text);
            case MethodInvocationTree call
            when call.getMethodSelect() instanceof MemberSelectTree select
                    && select.getIdentifier().contentEquals("formatted") -> words(select.getExpression());
            case com.sun.source.tree.BinaryTree sum ->
                Optional.of(words(sum.getLeftOperand()).orElse("%s")
                        + words(sum.getRightOperand()).orElse("%s"));
            case com.sun.source.tree.ParenthesizedTree inner -> words(inner.getExpression());
            case com.sun.source.tree.ConditionalExpressionTree choice ->
                words(choice.getTrueExpression()).or(() -> words(choice.getFalseExpression()));
            default -> Optional.empty();
        };
    }
}
