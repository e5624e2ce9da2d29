package dev.roost.daemon.web;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import dev.roost.service.RoostService;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** A run as one row of the list. */
final class RunRow {

    private static final int LONGEST_LINE = 200;
    private static final int TAIL = 2048;

    private final RoostService service;
    private final Instant now;

    RunRow(RoostService service, Instant now) {
        this.service = service;
        this.now = now;
    }

    Html html(RunRecord run) {
        var usage = service.usage(run);
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
                OwnerGroups.id(run.owner()),
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
                statusLine(run),
                LandingSteps.of(run),
                tokens(usage),
                cost(usage));
    }

    static Html link(RunRecord run) {
        return Html.of("<a href=\"/runs/{}\">{}</a>", run.id(), title(run));
    }

    static String title(RunRecord run) {
        return run.name().orElseGet(() -> shortened(run.description(), 48));
    }

    static String shortened(String text, int most) {
        var line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= most ? line : line.substring(0, most - 1) + "…";
    }

    private static String searchable(RunRecord run) {
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
                                        .flatMap(worktree -> worktree.landing())
                                        .map(landing -> landing.stage())
                                        .orElse("")),
                        300)
                .toLowerCase(Locale.ROOT);
    }

    /** The filter that the run belongs to: one of the counts at the top of the page. */
    static String filter(RunRecord run) {
        if (FleetSnapshot.needsInput(run)) return "needs";
        return switch (run.status()) {
            case QUEUED -> "queued";
            case RUNNING -> "running";
            case FAILED, ABANDONED -> "died";
            case COMPLETED, COMPLETED_EMPTY, CANCELED_BY_USER -> "done";
        };
    }

    static int rank(RunRecord run) {
        if (FleetSnapshot.needsInput(run)) return 0;
        return switch (run.status()) {
            case RUNNING -> 1;
            case QUEUED -> 2;
            default -> 3;
        };
    }

    static String tone(RunRecord run) {
        return FleetSnapshot.needsInput(run) ? "needs" : tone(run.latest());
    }

    static String tone(AttemptRecord attempt) {
        return switch (attempt.status()) {
            case QUEUED -> "queued";
            case RUNNING -> attempt.phase().equals(Optional.of(Phase.QUIET)) ? "quiet" : "running";
            case COMPLETED, COMPLETED_EMPTY -> "ok";
            case CANCELED_BY_USER -> "canceled";
            case FAILED, ABANDONED -> "dead";
        };
    }

    static String mark(RunRecord run) {
        if (FleetSnapshot.needsInput(run)) return "?";
        return switch (run.status()) {
            case QUEUED -> "·";
            case RUNNING -> "▸";
            case COMPLETED -> "✓";
            case COMPLETED_EMPTY -> "∅";
            case CANCELED_BY_USER -> "■";
            case FAILED, ABANDONED -> "✗";
        };
    }

    Html state(RunRecord run) {
        var attempt = run.latest();
        if (FleetSnapshot.needsInput(run)) return Html.of("needs you");
        if (attempt.parkedUntil().isPresent() && attempt.status() == Status.QUEUED)
            return Html.of(
                    "parked until {}", RelativeTime.clock(attempt.parkedUntil().get(), now));
        return switch (attempt.status()) {
            case QUEUED -> Html.text(attempt.phase().equals(Optional.of(Phase.RESUMING)) ? "resuming" : "queued");
            case RUNNING -> Html.text(attempt.phase().map(Phase::word).orElse("running"));
            case CANCELED_BY_USER -> Html.of("canceled");
            case COMPLETED_EMPTY -> Html.of("completed, empty");
            default -> Html.text(attempt.status().word());
        };
    }

    Html age(RunRecord run) {
        var attempt = run.latest();
        if (attempt.asked().isPresent() && FleetSnapshot.needsInput(run)) {
            return Html.of("{}", RelativeTime.since(attempt.asked().get().at(), now));
        }
        if (!attempt.status().ended())
            return RelativeTime.since(attempt.startedAt().orElse(run.createdAt()), now);
        var took = attempt.took().map(RelativeTime::brief).map("in "::concat).orElse("");
        return Html.of(
                "{} <span class=\"took\">{}</span>",
                RelativeTime.clock(attempt.endedAt().orElse(now), now),
                took);
    }

    /** The cause of its failure, its question, or the last line of its output. */
    Html statusLine(RunRecord run) {
        if (run.latest().asked().isPresent() && !run.status().ended()) {
            return Html.of("asks: <q>{}</q>", shortened(question(run), LONGEST_LINE));
        }
        if (FleetSnapshot.died(run)) return Html.of("<span class=\"why\">{}</span>", why(run));
        var last = lastLine(run);
        return last.isEmpty() ? Html.text(shortened(run.description(), LONGEST_LINE)) : Html.text(last);
    }

    static String question(RunRecord run) {
        return run.latest().asked().map(asked -> asked.question().text()).orElse("");
    }

    static String why(RunRecord run) {
        var attempt = run.latest();
        var exit = attempt.evidence().flatMap(evidence -> evidence.exit()).map(Exit::inWords);
        var cause = attempt.cause();
        if (exit.isPresent() && cause.filter(RunRow::isTheExit).isPresent()) return exit.get();
        return cause.map(Cause::inWords).orElse("unknown cause");
    }

    private static boolean isTheExit(Cause cause) {
        return cause == Cause.EXIT_CODE || cause == Cause.SIGNAL;
    }

    private String lastLine(RunRecord run) {
        if (run.status() == Status.QUEUED) return "";
        var text =
                run.status().ended() ? service.result(run, run.latest().n()).orElse("") : service.outputTail(run, TAIL);
        return lastLine(text);
    }

    private static String lastLine(String text) {
        var lines = text.split("\n", -1);
        for (int i = lines.length - 1; i >= 0; i--) {
            var line = Ansi.plain(lines[i]).strip();
            if (!line.isEmpty() && line.chars().anyMatch(Character::isLetterOrDigit))
                return shortened(line, LONGEST_LINE);
        }
        return "";
    }

    /** The last line on standard error, which may explain a failure. */
    static String lastError(RunRecord run) {
        var tail =
                run.latest().evidence().map(evidence -> evidence.stderrTail()).orElse("");
        return lastLine(tail);
    }

    static String tokens(Usage usage) {
        return usage.tokens() == 0 ? "" : TextFormat.count(usage.tokens());
    }

    static String cost(Usage usage) {
        return usage.costMicros().map(TextFormat::dollars).orElse("");
    }
}
