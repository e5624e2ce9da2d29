package dev.roost.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What {@code roost} alone says: where you stand, and what you can do next. */
final class Standing {

    private static final int SOME = 5;

    private final Invocation invocation;
    private final Path home;
    private final Places places;
    private final List<Next> next = new ArrayList<>();

    /** A command, and what it is for. */
    private record Next(String command, String what) {}

    private Standing(Invocation invocation) {
        this.invocation = invocation;
        this.home = invocation.home();
        this.places = Places.of(invocation);
    }

    static List<String> lines(Invocation invocation) {
        return new Standing(invocation).all();
    }

    /** A home that nobody has used gets no daemon for a look at it. */
    private List<String> all() {
        var lines = new ArrayList<String>();
        if (Files.isDirectory(home.resolve("runs"))) ofRuns(lines);
        else ofNothing(lines);
        ofHarnesses();
        next.add(new Next("roost --help", "all commands"));
        lines.add("");
        int width = next.stream().mapToInt(one -> one.command.length()).max().orElse(0) + 3;
        for (var one : next)
            lines.add(Style.fitLine(
                    "  " + Style.bold(Style.pad(one.command, width)) + Style.dim(one.what), Style.columns()));
        return lines;
    }

    private void ofNothing(List<String> lines) {
        lines.add("roost %s. Nothing has been run here yet; what is will be kept in %s."
                .formatted(Version.number(), shown(home)));
        next.add(new Next("roost demo", "the overnight story in half a minute, in a throw-away home"));
        next.add(new Next("roost run -- make test", "run something in the background"));
    }

    private void ofRuns(List<String> lines) {
        try (var client = Client.of(invocation)) {
            var listing = new Listing(client.ask("list", Common.params().put("filter", "all_active")), false);
            var runs = listing.runs();
            lines.add("roost %s. %s".formatted(Version.number(), Style.bold(sum(listing))));
            if (!runs.isEmpty()) {
                lines.add("");
                lines.addAll(listing.lines(Style.columns(), SOME));
            }
            suggest(runs);
        }
    }

    static String sum(Listing listing) {
        var runs = listing.runs();
        if (runs.isEmpty()) return "Nothing is at work, and nothing is unread.";
        if (listing.isCut()) return "Over %d runs are live, or ended and not read yet.".formatted(runs.size());
        long asks = runs.stream().filter(Standing::asks).count();
        long unread = runs.stream().filter(Standing::isUnread).count();
        long live = runs.size() - unread;
        var parts = new ArrayList<String>();
        if (live > 0) parts.add(Summary.some(live, "live run"));
        if (asks > 0) parts.add(asks == 1 ? "1 of them asks you something" : asks + " of them ask you something");
        if (unread > 0) parts.add("%d ended and not read yet".formatted(unread));
        return String.join(", ", parts) + ".";
    }

    private static boolean isUnread(JsonNode run) {
        return run.path("unread").asBoolean(false);
    }

    private static boolean asks(JsonNode run) {
        return run.path("phase").asString("").equals("needs_input");
    }

    private void suggest(List<JsonNode> runs) {
        runs.stream()
                .filter(Standing::asks)
                .findFirst()
                .ifPresent(
                        run -> next.add(new Next("roost show " + Summary.word(run), "see what it asks, and answer")));
        runs.stream()
                .filter(Standing::isUnread)
                .findFirst()
                .ifPresent(run -> next.add(new Next("roost output " + Summary.word(run), "read its result")));
        if (runs.stream().anyMatch(run -> !isUnread(run)))
            next.add(new Next("roost ps --watch", "follow them, full screen"));
        if (runs.isEmpty()) {
            next.add(new Next("roost run -- make test", "run something in the background"));
            next.add(new Next("roost report", "what happened while you were away"));
        }
    }

    /** Those that are here and do not know of Roost. */
    private void ofHarnesses() {
        for (var name : Harness.NAMES) {
            if (HarnessCheck.isHereAndNotWired(name, places))
                next.add(new Next("roost install " + name, "let its sessions start background agents, and tell them"));
        }
    }

    private String shown(Path path) {
        return HomePath.user(places.environment())
                .filter(path::startsWith)
                .map(user -> "~/" + user.relativize(path))
                .orElse(path.toString());
    }
}
