package dev.roost.daemon.web;

import dev.roost.base.TextFormat;
import dev.roost.ledger.SpendStore.DailySpend;
import dev.roost.model.Owner;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A chart of the cost per day, stacked by owner. */
record SpendChart(FleetSnapshot fleet) {

    private static final int COLOURS = 5;
    private static final int BAR = 20;
    private static final int HEIGHT = 96;

    Html html() {
        var byOwner = new LinkedHashMap<Owner, Long>();
        fleet.spending().stream()
                .collect(Collectors.groupingBy(DailySpend::owner, Collectors.summingLong(DailySpend::costMicros)))
                .entrySet()
                .stream()
                .filter(one -> one.getValue() > 0)
                .sorted(Map.Entry.<Owner, Long>comparingByValue().reversed())
                .forEach(one -> byOwner.put(one.getKey(), one.getValue()));
        var head = Html.of("<h2>Spend <span class=\"dim\">{} days, UTC</span></h2>", FleetSnapshot.DAYS);
        if (byOwner.isEmpty()) return Html.of("{}<p class=\"dim\">Nothing spent yet.</p>", head);
        var owners = List.copyOf(byOwner.keySet());
        return Html.of("{}{}{}", head, picture(owners), legend(owners, byOwner));
    }

    private Html picture(List<Owner> owners) {
        var days = fleet.spending().stream().collect(Collectors.groupingBy(DailySpend::day));
        long most = days.values().stream()
                .mapToLong(day -> day.stream().mapToLong(DailySpend::costMicros).sum())
                .max()
                .orElse(1);
        most = Math.max(most, 1);
        var bars = new ArrayList<Html>();
        var first = FleetSnapshot.day(fleet.now()).minusDays(FleetSnapshot.DAYS - 1);
        for (int i = 0; i < FleetSnapshot.DAYS; i++) {
            var day = first.plusDays(i);
            bars.add(bar(i, day, days.getOrDefault(day, List.of()), owners, most));
        }
        return Html.of(
                """
                <svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="spend per day, at most {} on a day">\
                <line x1="0" y1="{}" x2="{}" y2="{}"/>{}\
                <text x="0" y="9">{}</text><text x="0" y="{}">{}</text><text class="end" x="{}" y="{}">today</text></svg>
                """,
                FleetSnapshot.DAYS * BAR,
                HEIGHT + 16,
                TextFormat.dollars(most),
                HEIGHT,
                FleetSnapshot.DAYS * BAR,
                HEIGHT,
                Html.all(bars),
                TextFormat.dollars(most),
                HEIGHT + 13,
                brief(first),
                FleetSnapshot.DAYS * BAR,
                HEIGHT + 13);
    }

    private static String brief(LocalDate day) {
        return DateTimeFormatter.ofPattern("d MMM", Locale.ROOT).format(day);
    }

    private static Html bar(int at, LocalDate day, List<DailySpend> spent, List<Owner> owners, long most) {
        var pieces = new ArrayList<Html>();
        double top = HEIGHT;
        var sorted = spent.stream()
                .filter(one -> one.costMicros() > 0)
                .sorted(Comparator.comparingInt(one -> owners.indexOf(one.owner())))
                .toList();
        for (var one : sorted) {
            double height = Math.max(0.5, (HEIGHT - 14.0) * one.costMicros() / most);
            top -= height;
            pieces.add(Html.of(
                    "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: {} {}</title></rect>",
                    colour(owners.indexOf(one.owner())),
                    at * BAR + 3,
                    String.format(Locale.ROOT, "%.1f", top),
                    BAR - 6,
                    String.format(Locale.ROOT, "%.1f", height),
                    day,
                    one.owner().id(),
                    TextFormat.dollars(one.costMicros())));
        }
        return Html.all(pieces);
    }

    private static String colour(int owner) {
        return "c" + Math.min(owner, COLOURS);
    }

    private Html legend(List<Owner> owners, Map<Owner, Long> totals) {
        var rows = new ArrayList<Html>();
        for (int i = 0; i < Math.min(owners.size(), COLOURS + 1); i++) {
            boolean rest = i == COLOURS && owners.size() > COLOURS + 1;
            long total = rest
                    ? owners.stream()
                            .skip(COLOURS)
                            .mapToLong(owner -> totals.getOrDefault(owner, 0L))
                            .sum()
                    : totals.getOrDefault(owners.get(i), 0L);
            rows.add(Html.of(
                    "<li><svg width=\"10\" height=\"10\" aria-hidden=\"true\"><rect class=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/></svg> <span>{}</span> <b>{}</b></li>",
                    colour(i),
                    rest
                            ? "%d others".formatted(owners.size() - COLOURS)
                            : owners.get(i).id(),
                    TextFormat.dollars(total)));
        }
        return Html.of(
                "<p class=\"dim\">In all {} days:</p><ul class=\"legend\">{}</ul>", FleetSnapshot.DAYS, Html.all(rows));
    }
}
