package dev.roost.bench;

/** Figures for a person, and for a program. */
final class Table {

    private Table() {}

    static String text(Report report) {
        var text = new StringBuilder();
        String bench = "";
        for (var figure : report.figures()) {
            if (!figure.bench().equals(bench))
                text.append('\n').append(figure.bench()).append('\n');
            bench = figure.bench();
            text.append("  %-66s %s".formatted(figure.name(), figure.words()));
            figure.aim().ifPresent(aim -> text.append("   %s aim: %s".formatted(aim.met() ? "✓" : "✗", aim.words())));
            text.append('\n');
        }
        return text.toString();
    }

    static String json(Report report) {
        var json = Daemon.JSON.createObjectNode();
        var list = json.putArray("figures");
        for (var figure : report.figures()) {
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
