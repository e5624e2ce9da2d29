package dev.roost.checks;

import static dev.roost.checks.CaseResult.Ending.FAILED;
import static dev.roost.checks.CaseResult.Ending.PASSED;
import static dev.roost.checks.CaseResult.Ending.SKIPPED;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Prints each class when it ends, its failures at once, and the totals at the end. */
final class Progress {

    private static final int SLOWEST = 10;

    private final int classes;
    private final Path root;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private final List<ClassResult> results = new ArrayList<>();
    private int jvms;

    Progress(int classes, Path root, PrintStream out) {
        this.classes = classes;
        this.root = root;
        this.out = out;
    }

    synchronized void ended(ClassResult result) {
        results.add(result);
        out.printf(
                Locale.ROOT,
                "%5.0f s  %3d/%d  %4d tests  %6.1f s  cpu %6.1f s  %s%n",
                elapsed(),
                results.size(),
                classes,
                result.cases().size(),
                result.seconds(),
                result.cpu(),
                result.entry().title());
        for (var one : result.cases()) {
            if (one.ending() == PASSED) continue;
            out.printf(
                    Locale.ROOT, "%s  %s > %s%n", one.ending(), result.entry().title(), one.name());
            one.detail().lines().forEach(line -> out.printf(Locale.ROOT, "    %s%n", line));
        }
        if (result.count(PASSED) < result.cases().size())
            result.output().ifPresent(file -> out.printf(Locale.ROOT, "    its output: %s%n", root.relativize(file)));
    }

    synchronized void jvms(int count) {
        jvms = count;
    }

    synchronized List<ClassResult> results() {
        return List.copyOf(results);
    }

    /** Lists all tests, the slowest first. */
    synchronized void writeCases(Path file) throws IOException {
        record Row(String title, CaseResult one) {}
        var lines = results.stream()
                .flatMap(result -> result.cases().stream()
                        .map(one -> new Row(result.entry().title(), one)))
                .sorted(Comparator.comparingDouble((Row row) -> row.one().seconds())
                        .reversed())
                .map(row -> String.format(
                        Locale.ROOT,
                        "%.2f\t%s\t%s\t%s",
                        row.one().seconds(),
                        row.one().ending(),
                        row.title(),
                        row.one().name()))
                .toList();
        Files.write(file, lines);
    }

    /** Prints the totals; true if all tests passed. Programs read the last line. */
    synchronized boolean sum() {
        out.printf(Locale.ROOT, "%nThe slowest classes:%n");
        results.stream()
                .sorted(Comparator.comparingDouble(ClassResult::seconds).reversed())
                .limit(SLOWEST)
                .forEach(one -> out.printf(
                        Locale.ROOT,
                        "%6.1f s  cpu %6.1f s  %s%n",
                        one.seconds(),
                        one.cpu(),
                        one.entry().title()));
        out.printf(
                Locale.ROOT,
                "All classes together: %.0f s, CPU %.0f s, in %.0f s and %d JVMs. All tests: target/check/cases.tsv%n",
                results.stream().mapToDouble(ClassResult::seconds).sum(),
                results.stream().mapToDouble(ClassResult::cpu).sum(),
                elapsed(),
                jvms);
        for (var result : results)
            for (var one : result.cases())
                if (one.ending() != PASSED)
                    out.printf(
                            Locale.ROOT,
                            "%s  %s > %s%n",
                            one.ending(),
                            result.entry().title(),
                            one.name());
        long passed = sum(PASSED);
        long failed = sum(FAILED);
        long skipped = sum(SKIPPED);
        if (skipped > 0) out.printf(Locale.ROOT, "%d were skipped; none may be%n", skipped);
        if (passed + failed == 0) out.printf(Locale.ROOT, "no test ran%n");
        out.printf(Locale.ROOT, "%d passed, %d failed%n", passed, failed);
        return failed == 0 && skipped == 0 && passed > 0;
    }

    private long sum(CaseResult.Ending ending) {
        return results.stream().mapToLong(result -> result.count(ending)).sum();
    }

    private double elapsed() {
        return (System.nanoTime() - began) / 1e9;
    }
}
