package dev.roost.daemon.web;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.http.SseStream;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The page for people. A browser that {@code roost web} signed in sees all runs, and has a person's rights. */
public final class PageRoutes implements HttpRoute {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private static final Pattern RUN = Pattern.compile("/runs/(r_[0-9a-z]{1,40})(?:/(live|stop|send|answer))?");
    private static final Caller PERSON = new Caller(new Owner("roost:page"), true);
    private static final int FIRST = 200;
    private static final int OLDER = 500;
    private static final int MOST_STREAMS = 100;

    private final RoostService service;
    private final SignIn signIn;
    private final Clock clock;
    private final LiveUpdates updates;
    private final StreamLimit streamLimit = new StreamLimit(MOST_STREAMS, MOST_STREAMS);

    private final HtmlResponses htmlResponses = new HtmlResponses(this::assets);
    private @Nullable Assets assets;

    public PageRoutes(RoostService service, SignIn signIn, Clock clock) {
        this.service = service;
        this.signIn = signIn;
        this.clock = clock;
        this.updates = new LiveUpdates(service, PERSON, clock);
    }

    /** Loads the assets at the first request, so they do not delay the daemon's start. */
    private synchronized Assets assets() {
        if (assets == null) assets = new Assets();
        return assets;
    }

    @Override
    public boolean matches(WebRequest request) {
        return switch (request.path()) {
            case "/", "/favicon.ico", "/live", "/older", "/sign-in", "/sign-out" -> true;
            default ->
                request.path().startsWith("/assets/")
                        || RUN.matcher(request.path()).matches();
        };
    }

    /** Authenticates by the browser's cookie. */
    @Override
    public void serve(WebRequest request, Authenticator authenticator) throws IOException, InterruptedException {
        request.put("Content-Security-Policy", POLICY);
        request.put("X-Content-Type-Options", "nosniff");
        request.put(
                "Referrer-Policy",
                "same-origin"); // without a referrer, a browser would send forms with the origin "null"
        request.put("Cross-Origin-Opener-Policy", "same-origin");
        request.put("Cross-Origin-Resource-Policy", "same-origin");
        try {
            route(request);
        } catch (HttpError e) {
            htmlResponses.refuse(request, e);
        } catch (RoostError e) {
            htmlResponses.refuse(request, new HttpError(e));
        }
    }

    private void route(WebRequest request) throws IOException, InterruptedException {
        if (request.path().startsWith("/assets/") || request.path().equals("/favicon.ico")) {
            asset(request);
            return;
        }
        var token = cookie(request).flatMap(signIn::find);
        if (request.path().equals("/sign-in")) {
            signIn(request, token);
            return;
        }
        if (token.isEmpty()) throw notSignedIn();
        request.revalidateWith(() -> signIn.isValid(token.get()));
        var run = RUN.matcher(request.path());
        switch (request.path()) {
            case "/" -> fleet(request);
            case "/live" -> {
                request.only("GET");
                stream(
                        request,
                        stream -> updates.fleet(
                                stream, request.header("Last-Event-ID").or(() -> request.query("after"))));
            }
            case "/older" -> older(request);
            case "/sign-out" -> signOut(request, token.get());
            default -> {
                if (!run.matches()) throw HttpError.notFound();
                var found =
                        RunId.parse(run.group(1)).flatMap(service::run).orElseThrow(() -> new NoSuchRun(run.group(1)));
                run(request, found, Optional.ofNullable(run.group(2)).orElse(""));
            }
        }
    }

    private void run(WebRequest request, RunRecord run, String action) throws IOException, InterruptedException {
        switch (action) {
            case "" -> show(request, run);
            case "live" -> {
                request.only("GET");
                long cursor = request.header("Last-Event-ID")
                        .or(() -> request.query("cursor"))
                        .map(PageRoutes::number)
                        .orElse(0L);
                stream(request, stream -> updates.run(stream, run, cursor));
            }
            case "stop" -> {
                form(request);
                var stopped = service.stop(run, PERSON, Optional.of("on the page"));
                boolean wasStopped = stopped.status() == Status.CANCELED_BY_USER;
                htmlResponses.done(
                        request,
                        run,
                        (wasStopped ? "%s was stopped." : "%s had ended already.").formatted(run.title()));
            }
            case "send" -> {
                var message = form(request, "message").required("message");
                service.send(run, message, PERSON);
                htmlResponses.done(request, run, "Sent to %s.".formatted(run.title()));
            }
            case "answer" -> {
                var form = form(request, "answer", "question");
                service.answer(run, form.required("question"), form.required("answer"), PERSON);
                htmlResponses.done(request, run, "%s has its answer.".formatted(run.title()));
            }
            default -> throw HttpError.notFound();
        }
    }

    /** Writes a stream of live updates. */
    private interface StreamWriter {
        void to(SseStream stream) throws IOException, InterruptedException;
    }

    private void stream(WebRequest request, StreamWriter writer) throws IOException, InterruptedException {
        try (var _ = streamLimit.acquire("page");
                var stream = request.events()) {
            writer.to(stream);
        }
    }

    private static long number(String text) {
        if (text.matches("\\d{1,18}")) return Long.parseLong(text);
        throw ErrorCode.BAD_FIELD.error("The cursor is not a number.", "Load the page again.");
    }

    private void fleet(WebRequest request) throws IOException {
        request.only("GET", "HEAD");
        var position = updates.position();
        var page = new FleetPage(service, FleetSnapshot.of(service, PERSON, clock.now()));
        var first = updates.first(FIRST);
        var older = first.size() >= FIRST ? first.get(FIRST - 1).id().text() : "";
        HtmlResponses.html(request, 200, page.html(assets(), first, older, position));
    }

    /** Further runs for a loaded page; the header names the run after which the next page continues. */
    private void older(WebRequest request) throws IOException {
        request.only("GET");
        var before = request.query("before")
                .flatMap(RunId::parse)
                .orElseThrow(() -> ErrorCode.BAD_FIELD.error("The field before is not a run.", "Load the page again."));
        var runs = service.list(
                new RunQuery(RunQuery.StatusFilter.ALL, Optional.empty(), OLDER, Optional.of(before)), PERSON);
        var page = new FleetPage(service, FleetSnapshot.of(service, PERSON, clock.now()));
        if (runs.size() == OLDER) request.put("Roost-Older", runs.getLast().id().text());
        HtmlResponses.html(request, 200, page.groups().html(runs));
    }

    private void show(WebRequest request, RunRecord run) throws IOException {
        request.only("GET", "HEAD");
        long from = Math.max(0, service.outputLength(run) - LiveUpdates.TAIL);
        var output = service.output(
                run, new OutputPage.Request(Optional.empty(), from, OutputPage.WaitMode.NOW, Duration.ZERO));
        var text = from == 0
                ? output.text()
                : output.text().substring(output.text().indexOf('\n') + 1);
        var page = new RunPage(service, PERSON, service.runWorktrees().refreshLocally(run), clock.now());
        HtmlResponses.html(request, 200, page.html(assets(), new Ansi().render(text), from > 0, output.nextCursor()));
    }

    private void asset(WebRequest request) throws IOException {
        request.only("GET", "HEAD");
        var path = request.path().equals("/favicon.ico") ? assets().url("roost.svg") : request.path();
        var asset = assets().at(path).orElseThrow(HttpError::notFound);
        request.put("Cache-Control", "public, max-age=31536000, immutable");
        HtmlResponses.send(request, 200, asset.type(), asset.text().getBytes(StandardCharsets.UTF_8));
    }

    /** Answers with a page that loads the fleet: after a redirect from another site, a browser would not send the new cookie. */
    private void signIn(WebRequest request, Optional<TokenService.KnownToken> signedIn) throws IOException {
        request.only("GET");
        var secret = request.query("code").flatMap(signIn::use);
        if (secret.isEmpty() && signedIn.isEmpty()) throw notSignedIn();
        if (secret.isPresent())
            signedIn.ifPresent(signIn::forget); // its cookie is overwritten, so it could never sign out
        secret.ifPresent(one -> request.put(
                "Set-Cookie",
                "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s"
                        .formatted(
                                cookieName(request),
                                one.text(),
                                TokenService.PAGE_LASTS.toSeconds(),
                                request.isSecure() ? "; Secure" : "")));
        HtmlResponses.html(
                request,
                200,
                Html.of(
                        "<!DOCTYPE html><html lang=\"en\"><head><title>Roost</title>"
                                + "<meta http-equiv=\"refresh\" content=\"0; url=/\"></head><body><a href=\"/\">go on</a></body></html>"));
    }

    private void signOut(WebRequest request, TokenService.KnownToken token) throws IOException {
        form(request);
        signIn.forget(token);
        request.put("Set-Cookie", cookieName(request) + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
        throw notSignedIn();
    }

    private static RoostError notSignedIn() {
        return ErrorCode.NOT_SIGNED_IN.error("This browser is not signed in, or the link was used already.");
    }

    /** The cookie's name contains the port, because a browser sends a cookie to all ports of a host. */
    private static String cookieName(WebRequest request) {
        return "roost_" + request.port();
    }

    private static Optional<Secret> cookie(WebRequest request) {
        return request.cookie(cookieName(request)).map(Secret::new);
    }

    private static RequestFields form(WebRequest request, String... names) throws IOException {
        request.only("POST");
        if (!request.isSameOrigin()) {
            throw ErrorCode.FOREIGN_ORIGIN.error(
                    "The form does not come from this page.", "Load the page again and send it again.");
        }
        var fields = RunJson.MAPPER.createObjectNode();
        WebRequest.fields(new String(request.body(), StandardCharsets.UTF_8)).forEach((name, value) -> {
            if (value.isBlank()) fields.putNull(name);
            else fields.put(name, value.replace("\r\n", "\n"));
        });
        return RequestFields.of(fields, names);
    }
}
