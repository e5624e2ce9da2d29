package dev.roost.cli.demo;

import dev.roost.chaos.Verdict;
import dev.roost.chaos.promise.Violation.Count;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.Style;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a progress line, then the verdict. */
record ChaosReport(long seed, double minutes, boolean json) {

    private static final int INTERRUPTED = 130;

    void begin() {
        if (json) return;
        paragraph(
                "Breaking Roost on purpose for %s, in a temporary home; yours is not touched. Ctrl-C stops it. Seed %d."
                        .formatted(minutes == 1 ? "a minute" : plain(minutes) + " minutes", seed));
    }

    void progress(String line) {
        if (json || !Style.TERMINAL) return;
        System.out.print("\r\033[K" + Style.fitLine(Style.dim(line), Style.columns() - 1));
        System.out.flush();
    }

    int interrupted() {
        if (Style.TERMINAL && !json) System.out.print("\r\033[K");
        System.err.println("Stopped early, without a verdict; everything is cleaned up.");
        return INTERRUPTED;
    }

    void print(Verdict verdict) {
        if (json) {
            ClientCommand.printJson(verdict.json());
            return;
        }
        if (Style.TERMINAL) System.out.print("\r\033[K");
        if (verdict.good()) System.out.println(Style.green("Nothing was lost."));
        else broken(verdict);
        paragraph("%d faults (%s)."
                .formatted(
                        verdict.faultCount(),
                        verdict.faults().entrySet().stream()
                                .map(fault -> fault.getValue() + " × "
                                        + fault.getKey().word().replace('_', ' '))
                                .collect(Collectors.joining(", "))));
        paragraph("%d runs, %d ends, %d notices; %d lost, %d doubled, %d orphans, %d lies; %.0f seconds."
                .formatted(
                        verdict.runs(),
                        verdict.ends(),
                        verdict.notices(),
                        verdict.count(Count.LOST),
                        verdict.count(Count.DOUBLED),
                        verdict.count(Count.ORPHANS),
                        verdict.count(Count.LIES),
                        verdict.seconds()));
        verdict.skipped().forEach((what, why) -> paragraph("Skipped: %s: %s.".formatted(what, why)));
        System.out.println(Style.dim("Replay: roost doctor --chaos --seed %d%s"
                .formatted(seed, minutes == 1 ? "" : " --minutes " + plain(minutes))));
    }

    private static void broken(Verdict verdict) {
        verdict.timeline().forEach(line -> System.out.println(Style.safe(line)));
        System.out.println();
        System.out.println(Style.red("A promise was broken."));
        for (var one : verdict.violations())
            System.out.println("  " + Style.red("✗")
                    + " promise %d, %s at %.1f s: %s"
                            .formatted(one.promise().number(), one.run(), one.at(), Style.safe(one.what())));
        verdict.kept().ifPresent(home -> System.out.println("  The home is kept: " + home));
    }

    private static void paragraph(String text) {
        Style.wrap(text, Math.min(Style.columns(), 100)).forEach(System.out::println);
    }

    private static String plain(double minutes) {
        return minutes == Math.rint(minutes)
                ? Long.toString(Math.round(minutes))
                : String.format(Locale.ROOT, "%s", minutes);
    }
}
