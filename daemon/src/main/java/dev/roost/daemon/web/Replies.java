package dev.roost.daemon.web;

import dev.roost.daemon.http.Visit;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/** How a browser is answered: with a page, a line of it, or the way to another one; packed where that is worth it. */
final class Replies {

    private static final int WORTH_PACKING = 1024;

    private final Supplier<Assets> assets;

    Replies(Supplier<Assets> assets) {
        this.assets = assets;
    }

    /** Tells what was done: on the page that is there, or by leading back to the run. */
    void done(Visit visit, Run run, String words) throws IOException {
        if (isScript(visit)) {
            html(visit, 200, Html.of("<p class=\"good\">{}</p>", words));
            return;
        }
        visit.put("Location", "/runs/" + run.id());
        html(visit, 303, Html.NONE);
    }

    private static boolean isScript(Visit visit) {
        return visit.header("HX-Request").isPresent();
    }

    void refuse(Visit visit, RoostError error) throws IOException {
        int status = switch (error) {
            case Refused refused -> refused.code().equals(Stranger.CODE) ? 401 : 403;
            case NoSuchRun _ -> 404;
            case BadInput _ -> 400;
            case Broken _ -> 500;
        };
        if (isScript(visit)) {
            html(visit, status, Html.of("<p class=\"bad\">{} {}</p>", error.sentence(), error.hint()));
            return;
        }
        var title = switch (status) {
            case 401 -> "Not signed in";
            case 404 -> "Nothing here";
            default -> "That did not work";
        };
        html(
                visit,
                status,
                Frame.bare(
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

    static void html(Visit visit, int status, Html html) throws IOException {
        send(visit, status, "text/html; charset=utf-8", html.bytes());
    }

    static void send(Visit visit, int status, String type, byte[] bytes) throws IOException {
        boolean packs = bytes.length > WORTH_PACKING
                && String.join(",", visit.headers("Accept-Encoding")).contains("gzip");
        if (packs) {
            visit.put("Content-Encoding", "gzip");
            visit.put("Vary", "Accept-Encoding");
        }
        visit.answer(status, type, packs ? packed(bytes) : bytes);
    }

    private static byte[] packed(byte[] bytes) throws IOException {
        var small = new ByteArrayOutputStream(bytes.length / 4);
        try (var gzip = new GZIPOutputStream(small)) {
            gzip.write(bytes);
        }
        return small.toByteArray();
    }
}
