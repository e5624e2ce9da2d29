package dev.roost.daemon.web;

import java.time.Instant;

/** The frame of every page. */
final class PageLayout {

    private PageLayout() {}

    /** {@code live}: the address of the page's live updates; {@code now}: the time by which it corrects the browser's clock. */
    static Html page(Assets assets, String title, String live, Instant now, Html main) {
        return Html.of(
                """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="htmx-config" content='{"allowEval":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"allowScriptTags":false,"historyCacheSize":0,"responseHandling":[{"code":".*","swap":true}]}'>
                <title>{} · Roost</title>
                <link rel="icon" href="{}" type="image/svg+xml">
                <link rel="stylesheet" href="{}">
                <script src="{}" defer></script>
                <script src="{}" defer></script>
                </head>
                <body data-live="{}" data-now="{}">
                <a class="skip" href="#main">to the content</a>
                <header class="top">
                <a class="brand" href="/"><svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 17h20M7 17c0-5 2-9 6-9 2 0 3 1 3 2l4 1-4 1c0 3-2 5-5 5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg> Roost</a>
                <span id="link" class="link" role="status"><span class="dot" aria-hidden="true"></span><span class="words">connecting</span></span>
                <span class="space"></span>
                <button type="button" id="theme" class="quiet-button" title="light or dark (t)">theme</button>
                <button type="button" id="keys" class="quiet-button" title="keys (?)">keys</button>
                <form method="post" action="/sign-out"><button class="quiet-button">sign out</button></form>
                </header>
                <main id="main" tabindex="-1">{}</main>
                <div id="toast" role="alert"></div><div id="announce" class="unseen" role="status"></div>
                <dialog id="help"><h2>Keys</h2><dl>
                <dt>/</dt><dd>search</dd><dt>j k ↓ ↑</dt><dd>next, previous run</dd><dt>Enter</dt><dd>open it</dd>
                <dt>u</dt><dd>back to the list</dd><dt>m</dt><dd>write to this run</dd><dt>s</dt><dd>stop this run</dd>
                <dt>f</dt><dd>follow its output</dd><dt>t</dt><dd>light or dark</dd><dt>Esc</dt><dd>clear, close</dd>
                </dl><form method="dialog"><button>close</button></form></dialog>
                </body>
                </html>
                """,
                title,
                assets.url("roost.svg"),
                assets.url("roost.css"),
                assets.url("htmx.min.js"),
                assets.url("roost.js"),
                live,
                now.toEpochMilli(),
                main);
    }

    /** A page for errors, such as a missing sign-in or an unknown address. */
    static Html bare(Assets assets, String title, Html words) {
        return Html.of("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
                <title>{} · Roost</title><link rel="icon" href="{}" type="image/svg+xml"><link rel="stylesheet" href="{}"></head>
                <body class="bare"><main><h1>{}</h1>{}</main></body></html>
                """, title, assets.url("roost.svg"), assets.url("roost.css"), title, words);
    }
}
