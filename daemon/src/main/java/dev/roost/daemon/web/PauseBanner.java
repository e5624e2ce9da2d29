package dev.roost.daemon.web;

import dev.roost.ledger.record.PauseWindow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/** The pauses of the last day, and the fate of the affected runs. */
final class PauseBanner {

    private final FleetSnapshot fleet;

    PauseBanner(FleetSnapshot fleet) {
        this.fleet = fleet;
    }

    Html html() {
        if (fleet.pauses().isEmpty()) return Html.of("<div id=\"away\"></div>");
        var newest = fleet.pauses().getFirst();
        return Html.of(
                """
                <section id="away" class="banner" data-pause="{}" aria-labelledby="away-head">\
                <h2 id="away-head">While you were away</h2>{}\
                <button type="button" class="quiet-button" data-dismiss="away">dismiss</button></section>
                """,
                newest.id(),
                Html.all(fleet.pauses().stream().limit(3).map(this::pause).toList()));
    }

    private Html pause(PauseWindow pause) {
        var when = pause.endedAt().isPresent()
                ? Html.of(
                        "{} – {}, {}",
                        RelativeTime.clock(pause.beganAt(), fleet.now()),
                        RelativeTime.clock(pause.endedAt().get(), fleet.now()),
                        RelativeTime.brief(pause.length()))
                : Html.of("since {}", RelativeTime.clock(pause.beganAt(), fleet.now()));
        var fates = pause.runs().stream()
                .collect(
                        Collectors.groupingBy(PauseWindow.AffectedRun::state, LinkedHashMap::new, Collectors.toList()));
        var lines = new ArrayList<Html>();
        for (var fate : PauseWindow.AffectedRunState.values()) {
            var affected = fates.getOrDefault(fate, List.of());
            if (affected.isEmpty()) continue;
            lines.add(Html.of(
                    "<span class=\"fate {}\">{} {}:</span> {}",
                    fate == PauseWindow.AffectedRunState.LOST ? "dead" : "",
                    affected.size(),
                    words(fate),
                    links(affected)));
        }
        return Html.of(
                "<p><b>{}</b> <span class=\"when\">{}.</span> {}</p>",
                sentence(pause.kind().inWords()),
                when,
                pause.runs().isEmpty() ? Html.of("No run was live then.") : Html.all(lines));
    }

    private static Html links(List<PauseWindow.AffectedRun> affected) {
        var all = new ArrayList<Html>();
        for (int i = 0; i < Math.min(affected.size(), 6); i++) {
            if (i > 0) all.add(Html.of(", "));
            all.add(RunRow.link(affected.get(i).run()));
        }
        return Html.of("{}{} ", Html.all(all), affected.size() > 6 ? ", …" : ".");
    }

    private static String words(PauseWindow.AffectedRunState fate) {
        return switch (fate) {
            case LIVE -> "still at work";
            case ENDED -> "ended meanwhile";
            case LOST -> "lost";
            case RESUMED -> "lost and resumed";
            case WENT_ON -> "ended and continued since";
        };
    }

    private static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
