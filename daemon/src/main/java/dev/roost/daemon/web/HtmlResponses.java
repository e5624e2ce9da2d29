package dev.roost.daemon.web;

import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.WebRequest;
import dev.roost.ledger.record.RunRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/** Answers a browser with a page, a fragment or a redirect, compressed if it is large enough. */
final class HtmlResponses {

    private static final int MIN_COMPRESSED_BYTES = 1024;

    private final Supplier<Assets> assets;

    HtmlResponses(Supplier<Assets> assets) {
        this.assets = assets;
    }

    /** Confirms an action: by a fragment for a script, else by a redirect to the run. */
    void done(WebRequest request, RunRecord run, String words) throws IOException {
        if (isScript(request)) {
            html(request, 200, Html.of("<p class=\"good\">{}</p>", words));
            return;
        }
        request.put("Location", "/runs/" + run.id());
        html(request, 303, Html.NONE);
    }

    private static boolean isScript(WebRequest request) {
        return request.header("HX-Request").isPresent();
    }

    void refuse(WebRequest request, HttpError refusal) throws IOException {
        int status = refusal.status();
        var error = refusal.why();
        refusal.headers().forEach(request::put);
        if (isScript(request)) {
            html(request, status, Html.of("<p class=\"bad\">{} {}</p>", error.sentence(), error.hint()));
            return;
        }
        var title = switch (status) {
            case 401 -> "Not signed in";
            case 404 -> "Not found";
            default -> "Request failed";
        };
        html(
                request,
                status,
                PageLayout.bare(
                        assets.get(),
                        title,
                        Html.of(
                                "<p>{}</p><p>{}</p>{}",
                                error.sentence(),
                                error.hint(),
                                status == 401
                                        ? Html.of("<p><code>roost web</code></p>")
                                        : Html.of("<p><a href=\"/\">to the fleet</a></p>"))));
    }

    static void html(WebRequest request, int status, Html html) throws IOException {
        send(request, status, "text/html; charset=utf-8", html.bytes());
    }

    static void send(WebRequest request, int status, String type, byte[] bytes) throws IOException {
        boolean compresses = bytes.length > MIN_COMPRESSED_BYTES
                && String.join(",", request.headers("Accept-Encoding")).contains("gzip");
        if (compresses) {
            request.put("Content-Encoding", "gzip");
            request.put("Vary", "Accept-Encoding");
        }
        request.answer(status, type, compresses ? compressed(bytes) : bytes);
    }

    private static byte[] compressed(byte[] bytes) throws IOException {
        var small = new ByteArrayOutputStream(bytes.length / 4);
        try (var gzip = new GZIPOutputStream(small)) {
            gzip.write(bytes);
        }
        return small.toByteArray();
    }
}
