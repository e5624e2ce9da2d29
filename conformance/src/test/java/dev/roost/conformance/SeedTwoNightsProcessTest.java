package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.testing.OvernightFixture;
import dev.roost.conformance.testing.OvernightFixture.Named;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.conformance.testing.UserCheckout;
import dev.roost.model.RunId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The two nights of the first seed. In one the machine sleeps and three agents are lost in the middle of a rebase; in the other the
 * daemon is down and six agents are lost, each with its code at another stage. Both mornings the owner's session gets a correct
 * report, once, and every byte is recovered.
 */
class SeedTwoNightsProcessTest {

    private static final List<String> FINISHERS = List.of("finisher-1", "finisher-2", "finisher-3");
    private static final String REPORT = "While you were away";
    private static final String NOTICE = "<roost-notice id=";
    private static final String CHILD = "committed";
    private static final String RANDOM = "head -c 3000 /dev/urandom > ";

    /** Changes a file that main has also changed, and is stopped by the conflict. */
    private static final String REBASES =
            "echo mine > shared.txt; git commit -qam mine; git rebase -q origin/main || true; ";

    /** The commands of the second night. Three leave files that git does not track: an oddly named, an empty, an ignored one. */
    private static final Map<String, String> WORK = new TreeMap<>(Map.of(
            "pushed",
            RANDOM + "bytes; git add bytes; git commit -qm bytes; git push -q origin HEAD:refs/heads/pushed; " + RANDOM
                    + "\"$(printf -- '-odd \"n\\303\\244me\"\\twith\\na line')\"; ",
            "requested",
            "echo true > tool; chmod +x tool; ln -s tool link; git add -A; git commit -qm tool;"
                    + " git push -q origin HEAD:refs/heads/requested; ",
            "squashed",
            "echo a > a; git add a; git commit -qm a; echo b > b; git add b; git commit -qm b;"
                    + " git push -q origin HEAD:refs/heads/squashed; : > empty; ",
            "rebasing",
            REBASES + RANDOM + "notes.log; " + RANDOM + "draft; chmod +x draft; ln -s nowhere dangling; ",
            "idle",
            ""));

    private final String session = OwnerSessionFixture.newSession();
    private final String other = OwnerSessionFixture.newSession();
    private final Map<RunId, Map<String, String>> files = new HashMap<>();
    private final Map<RunId, String> status = new HashMap<>();

    @Test
    void each_morning_reports_its_night_once_and_every_byte_is_recovered(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("roost.seed", System.nanoTime());
        System.out.println("SeedTwoNightsTest: -Droost.seed=" + seed);
        try (var stage = new OvernightFixture(directory, new Random(seed))) {
            var finishers = firstNight(stage);
            firstMorning(stage, finishers);
            var six = secondNight(stage);
            var theirs = stage.named("theirs");
            secondMorning(stage, six, theirs);
            othersMorning(stage, six, theirs);
            childGoesOn(stage, stage.named(CHILD));
            var all = Stream.concat(finishers.stream(), six.stream()).toList();
            var text = tellsAllApart(stage, all, theirs);
            everyByteComesBack(stage, all, text);
        }
    }

    private List<Named> firstNight(OvernightFixture stage) throws Exception {
        var script = new StringBuilder("MARK-EVENING SCRIPT=");
        for (var name : FINISHERS)
            script.append(stage.parent.background(name, REBASES + stage.beats(name)))
                    .append("&isolation=worktree|");
        var claude = stage.parent.begin(session, false, script + "bash?cmd=sleep%2061|never");
        stage.awaitBeats(FINISHERS);
        claude.destroyForcibly().waitFor();
        var runs = stage.named(FINISHERS);
        stage.sleep(Duration.ofHours(16), () -> {
            stage.killAtRandom(runs);
            remember(stage, runs);
        });
        for (var run : runs) stage.awaitLanding(run.id(), "abandoned", landing(run.name()));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> stage.inbox("claude:" + session).toString().contains("\"pause\""));
        return runs;
    }

    /** The files after all processes have ended, before Roost reads them. */
    private void remember(OvernightFixture stage, List<Named> runs) throws Exception {
        for (var run : runs) {
            files.put(run.id(), stage.worktree(run.id()).files());
            status.put(run.id(), stage.worktree(run.id()).status());
        }
    }

    private void firstMorning(OvernightFixture stage, List<Named> finishers) throws Exception {
        stage.parent.turn(
                session, true, "MARK-MORNING SCRIPT=bash?cmd=true|" + startsChild(stage) + "|the batch is out");

        var asked = stage.parent.askedAbout("MARK-MORNING");
        for (var one : asked) {
            assertThat(one.count(REPORT)).as(one.text()).isEqualTo(1);
            assertThat(one.count(NOTICE)).as(one.text()).isEqualTo(1);
        }
        var notice = notice(asked.getFirst());
        assertThat(notice).contains("the machine slept", "16 h", "3 lost");
        for (var run : finishers)
            assertThat(line(notice, run.name()))
                    .as(notice)
                    .contains("was lost", landing(run.name()), "refs/roost/" + run.id(), "roost restore " + run.id());
    }

    /** A real Claude Code that commits, is killed inside its next tool call, and continues from there. */
    private static String startsChild(OvernightFixture stage) {
        var work = "echo a > child.txt; git add -A; git commit -qm child; echo half > half.txt";
        var wait = "echo $ROOST_ATTEMPT $PWD >> half.txt; if [ $ROOST_ATTEMPT = 1 ]; then echo $$ > '%s'; %s; fi;"
                .formatted(stage.room.resolve("child.pid"), stage.beats(CHILD));
        var until = " until [ -e '%s' ]; do sleep 0.05; done".formatted(stage.room.resolve("go"));
        var waits = "bash?cmd=" + OwnerSessionFixture.encoded(wait + until) + "|";
        return stage.parent.call(
                "agent",
                "run_in_background=true",
                "isolation=worktree",
                "description=works on",
                "name=" + CHILD,
                "prompt=MARK CHILD SCRIPT=bash?cmd=" + OwnerSessionFixture.encoded(work) + "|" + waits + waits
                        + "it is done");
    }

    /** The last notice in the request. */
    private static String notice(RequestRecord requestRecord) {
        var text = requestRecord.text();
        int at = text.lastIndexOf(NOTICE);
        assertThat(at).as(text).isNotNegative();
        return text.substring(at, text.indexOf("</roost-notice>", at));
    }

    private static String line(String notice, String name) {
        return notice.lines()
                .filter(line -> line.startsWith("- \"" + name + "\""))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing about " + name + " in " + notice));
    }

    private List<Named> secondNight(OvernightFixture stage) throws Exception {
        var begun = new ArrayList<Process>();
        for (var work : WORK.entrySet()) begun.add(run(stage, session, work.getKey(), work.getValue()));
        begun.add(run(stage, other, "theirs", "echo secret > theirs.txt; "));
        for (var one : begun) OvernightFixture.printed(one);
        var names = new ArrayList<>(WORK.keySet());
        names.addAll(List.of(CHILD, "theirs"));
        stage.awaitBeats(names);
        var all = stage.named(names);
        stage.gap(Duration.ofHours(15).plusMinutes(41), () -> {
            stage.killAtRandom(all);
            remember(stage, all);
            othersMergeMeanwhile(stage);
        });
        return all.stream().filter(run -> !run.name().equals("theirs")).toList();
    }

    private static Process run(OvernightFixture stage, String session, String name, String work) throws Exception {
        var script = "set -e; " + work + stage.beats(name);
        var owner = "claude:" + session;
        return stage.begin(
                Map.of(),
                "run",
                "--agent",
                "command",
                "--worktree",
                "--owner",
                owner,
                "--name",
                name,
                "--",
                "sh",
                "-c",
                script);
    }

    private static void othersMergeMeanwhile(OvernightFixture stage) throws Exception {
        stage.remote.git("update-ref", "refs/pull/1/head", "refs/heads/requested");
        stage.colleague.git("fetch", "-q");
        stage.colleague.git("merge", "-q", "--squash", "origin/squashed");
        stage.colleague.git("commit", "-q", "-m", "a and b (#2)");
        stage.colleague.git("push", "-q", "origin", "main");
    }

    private static String landing(String name) {
        return switch (name) {
            case CHILD -> "committed";
            case "pushed" -> "pushed to origin/pushed";
            case "requested" -> "pull request #1 open";
            case "squashed" -> "merged (squashed as ";
            case "idle" -> "nothing";
            default -> "mid_rebase with 1 conflict";
        };
    }

    private void secondMorning(OvernightFixture stage, List<Named> runs, RunId theirs) throws Exception {
        for (var run : runs)
            stage.awaitLanding(run.id(), run.name().equals(CHILD) ? "running" : "abandoned", landing(run.name()));
        var tool = Files.readString(stage.room.resolve("child.pid")).strip();
        assertThat(SingleAgentFixture.lives(Long.parseLong(tool)))
                .as("the tool of the agent's first attempt is still alive")
                .isFalse();
        var looks = "roost report --since 3d; roost report --since 3d --owner claude:" + other;
        stage.parent.turn(
                session, true, "MARK-AGAIN SCRIPT=bash?cmd=" + OwnerSessionFixture.encoded(looks) + "|good morning");

        var asked = stage.parent.askedAbout("MARK-AGAIN");
        for (var one : asked) {
            assertThat(one.count(REPORT))
                    .as("one for each night: " + one.text())
                    .isEqualTo(2);
            assertThat(one.count(NOTICE)).as(one.text()).isEqualTo(2);
            assertThat(one.text()).doesNotContain(theirs.text());
        }
        var notice = notice(asked.getFirst());
        assertThat(notice).contains("the daemon was down", "15 h 41 min", "5 lost", "1 lost and resumed");
        for (var run : runs)
            assertThat(line(notice, run.name()))
                    .as(notice)
                    .contains("was lost", landing(run.name()), "refs/roost/" + run.id() + "/")
                    .contains(run.name().equals(CHILD) ? "continues in attempt 2" : "roost restore " + run.id());
        var seen = asked.getLast().modelRequest().toolResults().getLast();
        for (var run : runs) assertThat(seen).contains(run.name());
        assertThat(seen).doesNotContain("theirs");
    }

    private void othersMorning(OvernightFixture stage, List<Named> runs, RunId theirs) throws Exception {
        stage.parent.turn(other, false, "MARK-OTHER SCRIPT=bash?cmd=true|good morning");
        var first = stage.parent.askedAbout("MARK-OTHER").getFirst();
        assertThat(first.count(REPORT)).isEqualTo(1);
        assertThat(notice(first)).contains("the daemon was down", "1 lost", "roost restore " + theirs);
        var own = stage.inside(other, "report", "--since", "3d", "--owner", "claude:" + other);
        var foreign = stage.inside(other, "report", "--since", "3d", "--owner", "claude:" + session);
        assertThat(own).contains("theirs");
        for (var run : runs)
            for (var text : List.of(first.text(), own, foreign))
                assertThat(text).doesNotContain(run.id().text(), " " + run.name() + " ");
        assertThat(foreign).doesNotContain("theirs");
    }

    private void childGoesOn(OvernightFixture stage, RunId child) throws Exception {
        assertThat(stage.attempt(child, 2).promptText().orElseThrow())
                .contains("You were interrupted", "your own worktree", "refs/roost/" + child + "/");
        Files.createFile(stage.room.resolve("go"));
        stage.awaitLanding(child, "completed", "committed");
        var place = stage.worktree(child).top();
        assertThat(Files.readAllLines(place.resolve("half.txt")))
                .startsWith("half", "1 " + place)
                .contains("2 " + place);
        assertThat(stage.project.status()).as("the checkout is unchanged").isEmpty();
        assertThat(stage.parent.askedAbout("MARK CHILD").getLast().text())
                .contains("your own worktree again", "refs/roost/" + child + "/");
        remember(stage, List.of(new Named(CHILD, child)));

        stage.parent.turn(session, true, "MARK-LATER SCRIPT=thanks");
        var later = stage.parent.askedAbout("MARK-LATER").getFirst();
        assertThat(later.count(REPORT)).as("not repeated").isEqualTo(2);
        assertThat(notice(later)).contains("1 background run ended", child.text(), "completed");
    }

    private static String tellsAllApart(OvernightFixture stage, List<Named> runs, RunId theirs) throws Exception {
        var text = stage.roost("report", "--since", "3d");
        System.out.println(text);
        assertThat(text).contains("theirs", "roost restore " + theirs);
        for (var run : runs) {
            assertThat(about(run.name(), text)).as(text).contains(landing(run.name()));
            if (List.of("requested", "idle").contains(run.name()))
                assertThat(text).doesNotContain("restore " + run.id());
            else assertThat(text).contains("roost restore " + run.id(), "refs/roost/" + run.id());
        }
        assertThat(text).contains("git worktree add --detach DIR refs/roost/RUN/N");
        return stage.roost("report", "--since", "3d", "--json");
    }

    /** Its line and the next, which has the path of its code if the first is too short. */
    private static String about(String name, String text) {
        var lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++)
            if (lines.get(i).contains(" " + name + " "))
                return lines.get(i) + "\n" + (i + 1 < lines.size() ? lines.get(i + 1) : "");
        return "";
    }

    /** The line with a plain git command. */
    private static String plainGit(String report, RunId run) {
        for (var one : JsonObjects.MAPPER.readTree(report).path("runs")) {
            if (!one.path("run_id").asString().equals(run.text())) continue;
            var words = new ArrayList<String>();
            one.path("git").forEach(word -> words.add(word.asString()));
            return String.join(" ", words);
        }
        throw new AssertionError("nothing about " + run + " in " + report);
    }

    private void everyByteComesBack(OvernightFixture stage, List<Named> runs, String report) throws Exception {
        assertThat(stage.roost("prune", "--older-than", "0s", "--unread")).contains("10 worktrees");
        for (var run : runs) assertThat(stage.worktree(run.id()).top()).doesNotExist();
        stage.project.git("worktree", "prune");
        stage.project.git("reflog", "expire", "--expire=now", "--all");
        stage.project.git("gc", "-q", "--prune=now");
        assertThat(stage.project.git("for-each-ref", "refs/roost/" + stage.named("pushed")))
                .isNotEmpty();

        // the run without changes is removed completely: it has nothing to recover
        var kept = runs.stream().filter(run -> !run.name().equals("idle")).toList();
        var bringing = new ArrayList<Process>();
        for (var run : kept)
            bringing.add(stage.begin(Map.of(), "restore", run.id().text()));
        for (var one : bringing) OvernightFixture.printed(one);
        for (var run : kept) {
            var back = stage.worktree(run.id());
            assertThat(back.files()).as(run.name()).isEqualTo(files.get(run.id()));
            assertThat(back.status()).as(run.name()).isEqualTo(status.get(run.id()));
        }
        gitAlone(stage, stage.named("pushed"), report);
        rebasesGoOn(stage);
    }

    /** As pasted into a shell. */
    private void gitAlone(OvernightFixture stage, RunId run, String report) throws Exception {
        var typed = plainGit(report, run);
        OvernightFixture.printed(stage.parent
                .user
                .process(List.of("sh", "-c", typed))
                .redirectErrorStream(true)
                .start());
        var words = typed.split(" ", -1);
        var place = new UserCheckout(stage.parent.user, Path.of(words[words.length - 2]));
        assertThat(place.files()).isEqualTo(files.get(run));
    }

    private static void rebasesGoOn(OvernightFixture stage) throws Exception {
        var aborted = stage.worktree(stage.named("rebasing"));
        aborted.git("rebase", "--abort");
        assertThat(Files.readString(aborted.top().resolve("shared.txt"))).isEqualTo("mine\n");
        var continued = stage.worktree(stage.named(FINISHERS.getFirst()));
        continued.write("shared.txt", "both\n");
        continued.git("add", "shared.txt");
        continued.git("rebase", "--continue");
        assertThat(continued.git("log", "--format=%s")).isEqualTo("mine\nsecond\nfirst");
    }
}
