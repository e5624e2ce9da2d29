package dev.roost.daemon.web;

import dev.roost.house.House;
import dev.roost.ledger.Attempt;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.Phase;
import dev.roost.run.Status;
import dev.roost.run.Usage;
import dev.roost.run.Words;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** A run as one line of the list. */
final class RunItem {

    private static final int LONGEST_LINE = 200;
    private static final int TAIL = 2048;

    private final House house;
    private final Instant now;

    RunItem(House house, Instant now) {
        this.house = house;
        this.now = now;
    }

    Html html(Run run) {
        var usage = house.usage(run);
        return Html.of(
                """
                <li class="run {}" id="{}" data-owner="{}" data-rank="{}" data-state="{}" data-ended="{}" data-text="{}">\
                <span class="mark" aria-hidden="true">{}</span>\
                <span class="what"><a class="name" href="/runs/{}">{}</a> <span class="agent">{}</span></span>\
                <span class="state">{}</span><span class="age">{}</span>\
                <span class="says">{}</span>{}\
                <span class="tokens" title="tokens">{}</span><span class="cost" title="cost">{}</span></li>
                """,
                tone(run)
                        + (run.status().ended() ? " ended" : "")
                        + (run.latest().unread() ? " unread" : ""),
                run.id(),
                Groups.id(run.owner()),
                rank(run),
                filter(run),
                run.latest()
                        .endedAt()
                        .map(at -> Long.toString(at.toEpochMilli()))
                        .orElse(""),
                searchable(run),
                mark(run),
                run.id(),
                title(run),
                run.latest().n() > 1
                        ? "%s · attempt %d".formatted(run.agent(), run.latest().n())
                        : run.agent(),
                state(run),
                age(run),
                says(run),
                Ladder.of(run),
                tokens(usage),
                cost(usage));
    }

    static Html link(Run run) {
        return Html.of("<a href=\"/runs/{}\">{}</a>", run.id(), title(run));
    }

    static String title(Run run) {
        return run.name().orElseGet(() -> shortened(run.description(), 48));
    }

    static String shortened(String text, int most) {
        var line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= most ? line : line.substring(0, most - 1) + "…";
    }

    private static String searchable(Run run) {
        return shortened(
                        String.join(
                                " ",
                                run.name().orElse(""),
                                run.id().text(),
                                run.agent(),
                                run.owner().id(),
                                run.description(),
                                run.status().word(),
                                run.latest().cause().map(Cause::word).orElse(""),
                                run.work()
                                        .flatMap(work -> work.landing())
                                        .map(landing -> landing.stage())
                                        .orElse("")),
                        300)
                .toLowerCase(Locale.ROOT);
    }

    /** What a list is narrowed down by: one of the counts at the top of the page. */
    static String filter(Run run) {
        if (Fleet.needsSomebody(run)) return "needs";
        return switch (run.status()) {
            case QUEUED -> "queued";
            case RUNNING -> "running";
            case FAILED, ABANDONED -> "died";
            case COMPLETED, COMPLETED_EMPTY, CANCELED_BY_USER -> "done";
        };
    }

    static int rank(Run run) {
        if (Fleet.needsSomebody(run)) return 0;
        return switch (run.status()) {
            case RUNNING -> 1;
            case QUEUED -> 2;
            default -> 3;
        };
    }

    static String tone(Run run) {
        return Fleet.needsSomebody(run) ? "needs" : tone(run.latest());
    }

    static String tone(Attempt attempt) {
        return switch (attempt.status()) {
            case QUEUED -> "queued";
            case RUNNING -> attempt.phase().equals(Optional.of(Phase.QUIET)) ? "quiet" : "running";
            case COMPLETED, COMPLETED_EMPTY -> "ok";
            case CANCELED_BY_USER -> "canceled";
            case FAILED, ABANDONED -> "dead";
        };
    }

    static String mark(Run run) {
        if (Fleet.needsSomebody(run)) return "?";
        return switch (run.status()) {
            case QUEUED -> "·";
            case RUNNING -> "▸";
            case COMPLETED -> "✓";
            case COMPLETED_EMPTY -> "∅";
            case CANCELED_BY_USER -> "■";
            case FAILED, ABANDONED -> "✗";
        };
    }

    Html state(Run run) {
        var attempt = run.latest();
        if (Fleet.needsSomebody(run)) return Html.of("needs you");
        if (attempt.parkedUntil().isPresent() && attempt.status() == Status.QUEUED)
            return Html.of("parked until {}", Ages.clock(attempt.parkedUntil().get(), now));
        return switch (attempt.status()) {
            case QUEUED -> Html.text(attempt.phase().equals(Optional.of(Phase.RESUMING)) ? "resuming" : "queued");
            case RUNNING -> Html.text(attempt.phase().map(Phase::word).orElse("running"));
            case CANCELED_BY_USER -> Html.of("canceled");
            case COMPLETED_EMPTY -> Html.of("completed, empty");
            default -> Html.text(attempt.status().word());
        };
    }

    Html age(Run run) {
        var attempt = run.latest();
        if (attempt.asked().isPresent() && Fleet.needsSomebody(run)) {
            return Html.of("{}", Ages.since(attempt.asked().get().at(), now));
        }
        if (!attempt.status().ended()) return Ages.since(attempt.startedAt().orElse(run.createdAt()), now);
        var took = attempt.took().map(Ages::brief).map("in "::concat).orElse("");
        return Html.of(
                "{} <span class=\"took\">{}</span>",
                Ages.clock(attempt.endedAt().orElse(now), now),
                took);
    }

    /** Why it died, what it asks, or the last line it said. */
    Html says(Run run) {
        if (run.latest().asked().isPresent() && !run.status().ended()) {
            return Html.of("asks: <q>{}</q>", shortened(question(run), LONGEST_LINE));
        }
        if (Fleet.died(run)) return Html.of("<span class=\"why\">{}</span>", why(run));
        var last = lastLine(run);
        return last.isEmpty() ? Html.text(shortened(run.description(), LONGEST_LINE)) : Html.text(last);
    }

    static String question(Run run) {
        return run.latest().asked().map(asked -> asked.question().text()).orElse("");
    }

    static String why(Run run) {
        var attempt = run.latest();
        var exit = attempt.evidence().flatMap(evidence -> evidence.exit()).map(Exit::inWords);
        var cause = attempt.cause();
        if (exit.isPresent() && cause.filter(RunItem::isTheExit).isPresent()) return exit.get();
        return cause.map(Cause::inWords).orElse("nobody knows why");
    }

    private static boolean isTheExit(Cause cause) {
        return cause == Cause.EXIT_CODE || cause == Cause.SIGNAL;
    }

    private String lastLine(Run run) {
        if (run.status() == Status.QUEUED) return "";
        var said = run.status().ended() ? house.result(run, run.latest().n()).orElse("") : house.lastWords(run, TAIL);
        return lastLine(said);
    }

    private static String lastLine(String said) {
        var lines = said.split("\n", -1);
        for (int i = lines.length - 1; i >= 0; i--) {
            var line = Plain.of(lines[i]).strip();
            if (!line.isEmpty() && line.chars().anyMatch(Character::isLetterOrDigit))
                return shortened(line, LONGEST_LINE);
        }
        return "";
    }

    /** The last thing it said on standard error, where that may be the reason. */
    static String lastError(Run run) {
        var tail =
                run.latest().evidence().map(evidence -> evidence.stderrTail()).orElse("");
        return lastLine(tail);
    }

    static String tokens(Usage usage) {
        return usage.tokens() == 0 ? "" : Words.count(usage.tokens());
    }

    static String cost(Usage usage) {
        return usage.costMicros().map(Words::dollars).orElse("");
    }
}
