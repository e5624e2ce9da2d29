package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.ledger.Run;
import dev.roost.rescue.Lost;
import dev.roost.rescue.Places;
import dev.roost.rescue.Search;
import dev.roost.rescue.Stray;
import dev.roost.run.BadInput;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import dev.roost.run.RunId;
import dev.roost.run.Words;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What other tools lost: a person's to look for and to bring in, since it is somebody else's. */
final class RescueMethods {

    private static final Duration A_WEEK = Duration.ofDays(7);

    private static final int MOST_TEXT = 4_000;

    private final House house;
    private final Json json;
    private final Persons persons;

    RescueMethods(House house, Json json) {
        this.house = house;
        this.json = json;
        this.persons = new Persons(
                house,
                new Refused(
                        "a_person_rescues",
                        "Only a person may look for what other sessions lost.",
                        "Ask the user to run `roost rescue` in a plain shell."));
    }

    Reply rescue(@Nullable JsonNode given) {
        var params = persons.params(given, "env", "home", "repositories", "since", "apply", "ids");
        var environment = params.map("env");
        var found = house.rescuing()
                .search(
                        params.text("home").isPresent()
                                ? Places.in(absolute(params.path("home")))
                                : Places.of(environment),
                        repositories(params),
                        params.duration("since").orElse(A_WEEK));
        var ids = params.texts("ids");
        var chosen = ids.isEmpty() ? found.lost() : chosen(ids, found);
        var runs = new LinkedHashMap<Lost, Run>();
        if (params.flag("apply")) {
            for (var lost : chosen)
                if (lost.state() != Lost.State.AT_WORK)
                    runs.put(lost, house.rescuing().bringIn(lost, environment));
        }
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("found");
        found.lost().forEach(lost -> list.add(lost(lost, found)));
        var worktrees = answer.putArray("worktrees");
        boolean all = params.flag("apply") && ids.isEmpty();
        for (var stray : found.strays()) {
            var one = stray(stray);
            if (stray.dirty()
                    && (all
                            || (params.flag("apply")
                                    && ids.contains(stray.path().toString())))) keep(stray, runs, one);
            worktrees.add(one);
        }
        found.problems().forEach(answer.putArray("problems")::add);
        if (params.flag("apply"))
            answer.set(
                    "runs",
                    json.runs(List.copyOf(runs.values()), Optional.empty()).path("runs"));
        return new Reply(answer);
    }

    private static List<Path> repositories(Params params) {
        var paths = new ArrayList<Path>();
        for (var text : params.texts("repositories")) {
            try {
                paths.add(absolute(Path.of(text)));
            } catch (InvalidPathException e) {
                throw noDirectory(text);
            }
        }
        return paths;
    }

    private static Path absolute(Path path) {
        if (path.isAbsolute()) return path;
        throw noDirectory(path.toString());
    }

    private static BadInput noDirectory(String text) {
        return new BadInput(
                "no_such_directory", "\"%s\" is not an absolute path.".formatted(Words.printable(text)), "Pass one.");
    }

    /** All of them, or an error: each id, or the beginning of one, is of exactly one thing; a worktree is named by its path. */
    private static List<Lost> chosen(List<String> ids, Search.Found found) {
        var chosen = new ArrayList<Lost>();
        for (var id : ids) {
            if (found.strays().stream()
                    .anyMatch(stray -> stray.path().toString().equals(id))) continue;
            var exact =
                    found.lost().stream().filter(lost -> lost.id().equals(id)).toList();
            var some = exact.isEmpty()
                    ? found.lost().stream()
                            .filter(lost -> lost.id().startsWith(id))
                            .toList()
                    : exact;
            if (some.size() != 1) {
                throw new BadInput(
                        some.isEmpty() ? "nothing_lost" : "ambiguous_id",
                        some.isEmpty()
                                ? "Nothing that was lost is called \"%s\".".formatted(Words.printable(id))
                                : "\"%s\" is the beginning of %d ids.".formatted(Words.printable(id), some.size()),
                        "`roost rescue` lists what there is; --since looks further back.");
            }
            var lost = some.getFirst();
            if (lost.state() == Lost.State.AT_WORK) {
                throw new BadInput(
                        "still_at_work",
                        "%s is still at work: %s.".formatted(lost.id(), lost.why()),
                        "Wait for its end.");
            }
            chosen.add(lost);
        }
        return chosen;
    }

    private ObjectNode lost(Lost lost, Search.Found found) {
        var one = Json.MAPPER
                .createObjectNode()
                .put("id", lost.id())
                .put("tool", word(lost.tool()))
                .put("kind", word(lost.kind()))
                .put("state", word(lost.state()))
                .put("owner", word(lost.tool()) + ":" + lost.owner())
                .put("title", lost.title())
                .put("began_at", lost.began().toString())
                .put("last_sign_of_life", lost.lastSign().toString())
                .put("why", lost.why())
                .put("source", lost.source().toString());
        lost.session().ifPresent(session -> one.put("session_id", session));
        lost.cwd()
                .ifPresent(cwd -> one.put("cwd", cwd.toString())
                        .put("uncommitted", found.uncommitted().getOrDefault(cwd, 0)));
        if (!lost.text().isBlank()) one.put("text", cut(lost.text()));
        lost.doing().ifPresent(doing -> one.put("doing", doing));
        house.rescuing().known(lost).ifPresent(run -> one.put("run_id", run.id().text()));
        return one;
    }

    /** All of it is in the run that is made of it. */
    private static String cut(String text) {
        return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "…";
    }

    private static String word(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode stray(Stray stray) {
        var one = Json.MAPPER
                .createObjectNode()
                .put("path", stray.path().toString())
                .put("repository", stray.repository().toString())
                .put("head", stray.head())
                .put("subject", stray.subject());
        stray.branch().ifPresent(branch -> one.put("branch", branch));
        stray.committed().ifPresent(at -> one.put("committed_at", at.toString()));
        stray.changed().forEach(one.putArray("changed")::add);
        stray.untracked().forEach(one.putArray("untracked")::add);
        stray.halfway().ifPresent(what -> one.put("halfway", what));
        return one;
    }

    /** Under the run that worked there; where none did, under an id of its own. */
    private void keep(Stray stray, Map<Lost, Run> runs, ObjectNode one) {
        Optional<RunId> run = runs.entrySet().stream()
                .filter(entry -> entry.getKey()
                        .cwd()
                        .filter(cwd -> cwd.startsWith(stray.path()))
                        .isPresent())
                .map(entry -> entry.getValue().id())
                .findFirst();
        try {
            one.put("ref", house.rescuing().keepStray(stray.path(), run));
        } catch (RoostError e) {
            one.put("left", "its work was left as it is: " + e.sentence());
        }
    }
}
