package dev.roost.daemon.web;

import dev.roost.daemon.http.EventStream;
import dev.roost.daemon.http.Pages;
import dev.roost.daemon.http.Seats;
import dev.roost.daemon.http.Visit;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Secret;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Clock;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The page for people: who comes with a browser that {@code roost web} let in sees everything, and may do what a person may. */
public final class Site implements Pages {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private static final Pattern RUN = Pattern.compile("/runs/(r_[0-9a-z]{1,40})(?:/(live|stop|send|answer))?");
    private static final Caller PERSON = new Caller(new Owner("roost:page"), true);
    private static final int FIRST = 200;
    private static final int OLDER = 500;
    private static final int MOST_STREAMS = 100;

    private final House house;
    private final SignIn signIn;
    private final Clock clock;
    private final Live live;
    private final Seats seats = new Seats(MOST_STREAMS, MOST_STREAMS);

    private final Replies replies = new Replies(this::assets);
    private @Nullable Assets assets;

    public Site(House house, SignIn signIn, Clock clock) {
        this.house = house;
        this.signIn = signIn;
        this.clock = clock;
        this.live = new Live(house, PERSON, clock);
    }

    /** Read when somebody first looks: a daemon that nobody looks at starts without them. */
    private synchronized Assets assets() {
        if (assets == null) assets = new Assets();
        return assets;
    }

    @Override
    public boolean has(String path) {
        return switch (path) {
            case "/", "/favicon.ico", "/live", "/older", "/sign-in", "/sign-out" -> true;
            default -> path.startsWith("/assets/") || RUN.matcher(path).matches();
        };
    }

    @Override
    public void serve(Visit visit) throws IOException, InterruptedException {
        visit.put("Content-Security-Policy", POLICY);
        visit.put("X-Content-Type-Options", "nosniff");
        visit.put("Referrer-Policy", "same-origin"); // with none at all a form would come without its origin
        visit.put("Cross-Origin-Opener-Policy", "same-origin");
        visit.put("Cross-Origin-Resource-Policy", "same-origin");
        try {
            route(visit);
        } catch (RoostError e) {
            replies.refuse(visit, e);
        }
    }

    private void route(Visit visit) throws IOException, InterruptedException {
        if (visit.path().startsWith("/assets/") || visit.path().equals("/favicon.ico")) {
            asset(visit);
            return;
        }
        var known = cookie(visit).flatMap(signIn::known);
        if (visit.path().equals("/sign-in")) {
            signIn(visit, known);
            return;
        }
        if (known.isEmpty()) throw Stranger.refused();
        visit.letIn(() -> signIn.isKnown(known.get()));
        var run = RUN.matcher(visit.path());
        switch (visit.path()) {
            case "/" -> fleet(visit);
            case "/live" -> {
                visit.only("GET");
                follow(
                        visit,
                        stream ->
                                live.fleet(stream, visit.header("Last-Event-ID").or(() -> visit.query("after"))));
            }
            case "/older" -> older(visit);
            case "/sign-out" -> signOut(visit, known.get());
            default -> {
                if (!run.matches()) throw new NoSuchRun(visit.path());
                var found =
                        RunId.parse(run.group(1)).flatMap(house::run).orElseThrow(() -> new NoSuchRun(run.group(1)));
                run(visit, found, Optional.ofNullable(run.group(2)).orElse(""));
            }
        }
    }

    private void run(Visit visit, Run run, String what) throws IOException, InterruptedException {
        switch (what) {
            case "" -> show(visit, run);
            case "live" -> {
                visit.only("GET");
                long cursor = visit.header("Last-Event-ID")
                        .or(() -> visit.query("cursor"))
                        .map(Site::number)
                        .orElse(0L);
                follow(visit, stream -> live.run(stream, run, cursor));
            }
            case "stop" -> {
                var form = form(visit);
                form.only();
                var stopped = house.stop(run, PERSON, Optional.of("on the page"));
                boolean was = stopped.status() == Status.CANCELED_BY_USER;
                replies.done(visit, run, (was ? "%s was stopped." : "%s had ended already.").formatted(run.title()));
            }
            case "send" -> {
                var message = form(visit).only("message").required("message");
                house.send(run, message, PERSON);
                replies.done(visit, run, "Sent to %s.".formatted(run.title()));
            }
            case "answer" -> {
                var form = form(visit).only("answer", "question");
                house.answer(run, form.required("question"), form.required("answer"), PERSON);
                replies.done(visit, run, "%s has its answer.".formatted(run.title()));
            }
            default -> throw new NoSuchRun(visit.path());
        }
    }

    /** What is told as it happens. */
    private interface Telling {
        void to(EventStream stream) throws IOException, InterruptedException;
    }

    private void follow(Visit visit, Telling telling) throws IOException, InterruptedException {
        try (var _ = seats.take("page");
                var stream = visit.events()) {
            telling.to(stream);
        }
    }

    private static long number(String text) {
        if (text.matches("\\d{1,18}")) return Long.parseLong(text);
        throw new BadInput("bad_field", "The cursor is not a number.", "Load the page again.");
    }

    private void fleet(Visit visit) throws IOException {
        visit.only("GET", "HEAD");
        var position = live.position();
        var page = new FleetPage(house, Fleet.of(house, PERSON, clock.now()));
        var first = live.first(FIRST);
        var older = first.size() >= FIRST ? first.get(FIRST - 1).id().text() : "";
        Replies.html(visit, 200, page.html(assets(), first, older, position));
    }

    /** More of the list, for a page that is there already; the header says where it goes on. */
    private void older(Visit visit) throws IOException {
        visit.only("GET");
        var before = visit.query("before")
                .flatMap(RunId::parse)
                .orElseThrow(() -> new BadInput("bad_field", "The field before is no run.", "Load the page again."));
        var runs = house.list(new Query(Query.Which.ALL, Optional.empty(), OLDER, Optional.of(before)), PERSON);
        var page = new FleetPage(house, Fleet.of(house, PERSON, clock.now()));
        if (runs.size() == OLDER) visit.put("Roost-Older", runs.getLast().id().text());
        Replies.html(visit, 200, page.groups().html(runs));
    }

    private void show(Visit visit, Run run) throws IOException {
        visit.only("GET", "HEAD");
        long from = Math.max(0, house.outputLength(run) - Live.TAIL);
        var output = house.output(run, new Output.Request(Optional.empty(), from, Output.Until.NOW, Duration.ZERO));
        var text = from == 0
                ? output.text()
                : output.text().substring(output.text().indexOf('\n') + 1);
        var page = new RunPage(house, PERSON, house.code().lookHere(run), clock.now());
        Replies.html(visit, 200, page.html(assets(), new Ansi().render(text), from > 0, output.nextCursor()));
    }

    private void asset(Visit visit) throws IOException {
        visit.only("GET", "HEAD");
        var path = visit.path().equals("/favicon.ico") ? assets().url("roost.svg") : visit.path();
        var asset = assets().at(path).orElseThrow(() -> new NoSuchRun(visit.path()));
        visit.put("Cache-Control", "public, max-age=31536000, immutable");
        Replies.send(visit, 200, asset.type(), asset.text().getBytes(StandardCharsets.UTF_8));
    }

    /** A page that goes on by itself: after a redirect, a browser that came from elsewhere would not show its new cookie. */
    private void signIn(Visit visit, Optional<Mint.Known> already) throws IOException {
        visit.only("GET");
        var secret = visit.query("code").flatMap(signIn::use);
        if (secret.isEmpty() && already.isEmpty()) throw Stranger.refused();
        if (secret.isPresent())
            already.ifPresent(signIn::forget); // its cookie is overwritten: nobody could sign it out
        secret.ifPresent(one -> visit.put(
                "Set-Cookie",
                "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s"
                        .formatted(
                                cookieName(visit),
                                one.text(),
                                Mint.PAGE_LASTS.toSeconds(),
                                visit.isSecure() ? "; Secure" : "")));
        Replies.html(
                visit,
                200,
                Html.of(
                        "<!DOCTYPE html><html lang=\"en\"><head><title>Roost</title>"
                                + "<meta http-equiv=\"refresh\" content=\"0; url=/\"></head><body><a href=\"/\">go on</a></body></html>"));
    }

    private void signOut(Visit visit, Mint.Known known) throws IOException {
        form(visit).only();
        signIn.forget(known);
        visit.put("Set-Cookie", cookieName(visit) + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
        throw Stranger.refused();
    }

    /** Browsers give a cookie to every port of a host, so each home's has a name of its own. */
    private static String cookieName(Visit visit) {
        return "roost_" + visit.port();
    }

    private static Optional<Secret> cookie(Visit visit) {
        return visit.cookie(cookieName(visit)).map(Secret::new);
    }

    private static Form form(Visit visit) throws IOException {
        visit.only("POST");
        if (!visit.comesFromHere()) {
            throw new Refused(
                    "foreign_origin", "The form does not come from this page.", "Load the page again and repeat it.");
        }
        return Form.read(new String(visit.body(), StandardCharsets.UTF_8));
    }
}
