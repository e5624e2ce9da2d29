package dev.roost.bench.report;

import tools.jackson.databind.json.JsonMapper;

/** Prints figures for people and for programs. */
public final class BenchmarkTable {

    private BenchmarkTable() {}

    public static String text(BenchmarkReport benchmarkReport) {
        var text = new StringBuilder();
        String bench = "";
        for (var figure : benchmarkReport.figures()) {
            if (!figure.bench().equals(bench))
                text.append('\n').append(figure.bench()).append('\n');
            bench = figure.bench();
            text.append("  %-66s %s".formatted(figure.name(), figure.words()));
            figure.aim().ifPresent(aim -> text.append("   %s aim: %s".formatted(aim.met() ? "✓" : "✗", aim.words())));
            text.append('\n');
        }
        return text.toString();
    }

    public static String json(BenchmarkReport benchmarkReport) {
        var json = new JsonMapper().createObjectNode();
        var list = json.putArray("figures");
        for (var figure : benchmarkReport.figures()) {
            var one = list.addObject().put("bench", figure.bench()).put("name", figure.name());
            if (!figure.text().isEmpty()) one.put("note", figure.text());
            if (!figure.rounds().isEmpty()) {
                one.put("median", figure.median()).put("unit", figure.unit());
                var rounds = one.putArray("rounds");
                figure.rounds().forEach(rounds::add);
            }
            figure.aim().ifPresent(aim -> one.put("aim", aim.words()).put("met", aim.met()));
        }
        return json.toPrettyString() + "\n";
    }
}
