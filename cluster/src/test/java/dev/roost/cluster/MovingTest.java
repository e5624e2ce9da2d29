package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.cluster.Machines.Machine;
import dev.roost.house.Output;
import dev.roost.house.Pruned;
import dev.roost.house.Pruning;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.Cause;
import dev.roost.run.Faults;
import dev.roost.run.Refused;
import dev.roost.run.Status;
import dev.roost.sessions.Digest;
import dev.roost.shelf.ShelfName;
import dev.roost.shelf.ShelfStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run whose machine is lost goes on on another one: its conversation and its files are there. */
class MovingTest {

    private static final String WORKS_UNTIL_LOST = """
            if [ $resumed = no ]; then
                echo changed >>a.txt
                echo fresh >new.txt
                say half-way
                while :; do sleep 0.2; done
            fi
            grep -q half-way "$kept/$session.jsonl" && say remembered
            [ -f new.txt ] && say "files-$(cat new.txt)-$(tail -n 1 a.txt)"
            result finished
            """;

    @TempDir
    Path scratch;

    private Machines machines;

    @BeforeEach
    void setUp() throws IOException {
        machines = new Machines(scratch);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private static String node(Run run) {
        return run.latest().node().orElse("");
    }

    /** Waits until all that it needs elsewhere is kept. */
    private void awaitPacked(Machine any, Run run, String said, String file) {
        awaitSaid(run, said);
        awaitWork(any, run, file);
    }

    private void awaitSaid(Run run, String said) {
        await().atMost(Machines.SOON)
                .untilAsserted(
                        () -> assertThat(onShelf(run, ShelfName.CONVERSATION)).contains(said));
    }

    /** Waits until a checkpoint with this file in it is where others find it. */
    private void awaitWork(Machine any, Run run, String file) {
        await().atMost(Machines.SOON).untilAsserted(() -> {
            var work = any.show(run).work().orElseThrow();
            var ref = work.rescue().map(Work.Rescue::ref).orElse("HEAD");
            assertThat(Machines.git(work.place().common(), "ls-tree", "-r", "--name-only", ref))
                    .contains(file);
            assertThat(onShelf(run, ShelfName.WORK))
                    .contains(Machines.git(work.place().common(), "rev-parse", ref));
        });
    }

    private PostgresShelf shelf() {
        return new PostgresShelf(Address.parse(machines.address).source("a test", 0));
    }

    /** Its bytes, as far as they are letters; empty if there is no such file. Replaced while it is read, it is read again. */
    private String onShelf(Run run, ShelfName name) {
        return await().ignoreExceptionsInstanceOf(Broken.class).until(() -> readOnce(run, name), read -> true);
    }

    private String readOnce(Run run, ShelfName name) throws IOException {
        var kept = shelf().find(run.id(), name);
        if (kept.isEmpty()) return "";
        try (var in = new ShelfStream(shelf(), run.id(), kept.get())) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private Machine other(Run run, Machine one, Machine two) {
        return node(run).equals(one.name) ? two : one;
    }

    private Run awaitRunning(Machine machine, Run run) {
        await().atMost(Machines.SOON)
                .until(() -> machine.show(run).latest().began().isPresent());
        return machine.show(run);
    }

    @Test
    void a_run_whose_machine_is_lost_goes_on_elsewhere_with_its_conversation_and_its_files() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone.resolve("sub"), true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        assertThat(run.cwd()).isEqualTo(had.home.worktree(run.id()).resolve("sub"));
        awaitPacked(takes, run, "half-way", "sub/new.txt");
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", takes.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(node(ended)).isEqualTo(takes.name);
        assertThat(ended.cwd()).isEqualTo(takes.home.worktree(run.id()).resolve("sub"));
        assertThat(takes.said(run))
                .contains("half-way", "resumed on " + takes.name, "remembered", "files-fresh-changed");
        assertThat(takes.house.code().changed(ended).orElseThrow())
                .extracting(changed -> changed.path().toString())
                .contains("sub/new.txt");
    }

    @Test
    void whoever_is_told_of_its_end_hears_that_what_it_did_outside_may_have_been_done_twice() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitPacked(takes, run, "half-way", "new.txt");
        had.die();
        takes.awaitEnd(run);

        var pending = takes.house.inbox(Optional.of(Machines.PARENT), Machines.OPERATOR);

        assertThat(pending).hasSize(1);
        assertThat(Digest.of(pending)).contains("begun again after a loss", "may be there twice");
        assertThat(Files.readString(takes.home.run(run.id()).attempt(2).prompt()))
                .contains("its machine was lost", "may or may not have taken effect");
        assertThat(takes.timeline(run)).contains("moved: from %s to %s".formatted(had.name, takes.name));
    }

    @Test
    void a_run_that_cannot_go_on_is_abandoned_and_its_files_can_be_brought_to_another_machine() throws IOException {
        var one = machines.machine("one");
        var two = machines.machine("two");
        var script = "echo saved >kept.txt; while :; do sleep 0.2; done";
        var task = new Task(List.of("sh", "-c", script), Optional.empty());
        var run = awaitRunning(one, one.start("command", task, one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitWork(takes, run, "kept.txt");
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().cause()).contains(Cause.WORKER_LOST);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(had.name, "roost restore " + run.id());
        assertThat(takes.house.code().changed(ended)).as("that is not here").isEmpty();
        assertThatThrownBy(() -> takes.house.code().restore(ended, Optional.empty(), Optional.of(1)))
                .hasMessageContaining("on " + had.name);
        var place = takes.house.code().restore(ended, Optional.empty(), Optional.empty());
        assertThat(place).isEqualTo(takes.home.worktree(run.id()));
        assertThat(place.resolve("kept.txt")).hasContent("saved\n");

        Files.writeString(place.resolve("mine.txt"), "by hand\n");
        var pruned =
                takes.house.upkeep().prune(new Pruning(Duration.ZERO, OptionalLong.empty(), true, true, true, false));
        assertThat(pruned.runs()).as("which are the other's").isEmpty();
        assertThat(pruned.elsewhere()).extracting(Pruned.Elsewhere::node).containsExactly(had.name);
        assertThat(place).doesNotExist();
        var ref = Machines.git(
                takes.clone,
                "for-each-ref",
                "--sort=-version:refname",
                "--format=%(refname)",
                "refs/roost/" + run.id());
        assertThat(Machines.git(
                        takes.clone,
                        "ls-tree",
                        "--name-only",
                        ref.lines().findFirst().orElseThrow()))
                .contains("kept.txt", "mine.txt");
        assertThat(takes.timeline(run)).anyMatch(line -> line.startsWith("worktree: removed on " + takes.name));
    }

    @Test
    void where_checkpoints_are_pushed_to_a_remote_the_work_is_fetched_from_there() throws IOException {
        machines.doing(WORKS_UNTIL_LOST).pushingTo("origin");
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitPacked(takes, run, "half-way", "new.txt");
        await().atMost(Machines.SOON)
                .untilAsserted(() -> assertThat(onShelf(run, ShelfName.WORK))
                        .contains("\"remote\":\"origin\"")
                        .doesNotContain("bundle"));
        assertThatThrownBy(() -> takes.house.code().restore(takes.show(run), Optional.empty(), Optional.empty()))
                .hasMessageContaining("goes on, and its worktree is on " + had.name);
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status()).as("%s", takes.timeline(run)).isEqualTo(Status.COMPLETED);
        assertThat(takes.said(run)).contains("remembered", "files-fresh-changed");
        await().atMost(Machines.SOON)
                .untilAsserted(() -> assertThat(takes.show(run).work().flatMap(Work::trouble))
                        .isEmpty());
    }

    @Test
    void a_run_that_is_lost_again_just_after_it_has_moved_goes_on_there_with_its_conversation() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var desk = machines.front("desk", true);
        var one = machines.machine("one");
        var run = awaitRunning(one, one.start(one.clone, true));
        awaitPacked(one, run, "half-way", "new.txt");
        one.die();
        var hanging = new Hanging(Faults.Step.WORKTREE);
        var two = machines.disturbedBy(hanging).machine("two");
        await().atMost(Machines.SOON).until(hanging::isReached);
        assertThat(desk.timeline(run)).contains("moved: from one to two");
        two.die();
        await().atMost(Machines.SOON).until(() -> desk.show(run).latest().n() == 3);
        assertThat(two.user.resolve(".claude")).as("it had not come so far").doesNotExist();
        machines.disturbedBy(Faults.NONE);
        two.comeBack();

        var ended = two.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", two.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(3);
        assertThat(node(ended)).isEqualTo("two");
        assertThat(two.said(run)).contains("half-way", "remembered", "files-fresh-changed");
        assertThat(two.timeline(run))
                .filteredOn(line -> line.startsWith("moved: "))
                .hasSize(1);
    }

    /** Gets no further than this until its machine is gone. */
    private static final class Hanging implements Faults {
        private final Step at;
        private final CountDownLatch reached = new CountDownLatch(1);

        Hanging(Step at) {
            this.at = at;
        }

        boolean isReached() {
            return reached.getCount() == 0;
        }

        @Override
        public void before(List<Step> steps) {
            if (!steps.contains(at)) return;
            reached.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("its machine is gone", e);
            }
        }

        @Override
        public void after(List<Step> steps) {}
    }

    @Test
    void a_run_that_comes_back_to_its_first_machine_finds_what_the_second_had_and_not_what_the_first_kept()
            throws IOException {
        machines.doing("""
                case $ROOST_ATTEMPT in
                1) echo first >new.txt; say on-the-first; while :; do sleep 0.2; done ;;
                2) echo second >new.txt; touch later.txt; say on-the-second; while :; do sleep 0.2; done ;;
                esac
                said=$(grep -oE 'on-the-first|on-the-second|never-packed' "$kept/$session.jsonl" | paste -sd ' ')
                result "$said $(cat new.txt) $(ls stale.txt)"
                """);
        var one = machines.machine("one");
        var run = awaitRunning(one, one.start(one.clone, true));
        awaitPacked(one, run, "on-the-first", "new.txt");
        one.die();
        var conversation = conversation(one);
        Files.writeString(conversation, "{\"said\":\"never-packed\"}\n", StandardOpenOption.APPEND);
        Files.writeString(one.home.worktree(run.id()).resolve("stale.txt"), "stale\n");
        var two = machines.machine("two");
        awaitSaid(run, "on-the-second");
        awaitWork(two, run, "later.txt");
        one.comeBack();
        two.die();

        var ended = one.awaitEnd(run);

        assertThat(ended.status()).as("%s", one.timeline(run)).isEqualTo(Status.COMPLETED);
        assertThat(node(ended)).isEqualTo("one");
        assertThat(one.house
                        .output(ended, Output.Request.now())
                        .result()
                        .orElseThrow()
                        .strip())
                .isEqualTo("on-the-first on-the-second second");
        assertThat(conversation.resolveSibling(conversation.getFileName() + ".roost-before"))
                .content()
                .contains("never-packed");
        var refs = Machines.git(one.clone, "for-each-ref", "--format=%(refname)", "refs/roost/" + run.id());
        assertThat(refs.lines()
                        .filter(ref -> Machines.git(one.clone, "ls-tree", "--name-only", ref)
                                .contains("stale.txt")))
                .as("kept, and not gone on from")
                .isNotEmpty();
    }

    private static Path conversation(Machine machine) throws IOException {
        try (var files = Files.walk(machine.user.resolve(".claude/projects"))) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void a_front_that_has_neither_directory_nor_clone_starts_runs_in_a_directory_of_a_worker() throws IOException {
        var desk = machines.front("desk", false);
        var one = machines.machine("one");
        var pwd = new Task(List.of("pwd"), Optional.empty());
        var sub = one.clone.resolve("sub");

        desk.house.nodes().drain(Optional.of("one"), false);
        var aside = Files.move(one.clone, one.clone.resolveSibling("aside")); // all of them see one disk here
        var first = desk.start("command", pwd, sub, false);
        var second = desk.start("command", pwd, sub, true);
        Files.move(aside, one.clone);
        desk.house.nodes().resume("one");
        var there = desk.awaitEnd(first);
        var apart = desk.awaitEnd(second);

        assertThat(desk.said(there)).contains(sub.toString());
        assertThat(apart.status()).as("%s", apart.latest().evidence()).isEqualTo(Status.COMPLETED);
        assertThat(desk.said(apart))
                .contains(one.home.worktree(apart.id()).resolve("sub").toString());
        var head = Machines.git(one.clone, "rev-parse", "HEAD");
        assertThat(apart.work().orElseThrow().place().base()).isEqualTo(head);
        assertThat(desk.timeline(apart)).anyMatch(line -> line.startsWith("worktree: it begins at " + head));
        awaitWork(desk, apart, "a.txt");
        var back =
                desk.house.code().restore(desk.show(apart), Optional.of(desk.user.resolve("back")), Optional.empty());
        assertThat(back.resolve("sub/b.txt")).hasContent("two\n");
        assertThatThrownBy(() -> desk.start("command", pwd, machines.root.resolve("nowhere"), true))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void a_run_gets_its_worktree_from_the_clone_that_its_node_has_and_at_the_commit_its_caller_was_at()
            throws IOException {
        var front = machines.front("front", true);
        var one = machines.machine("one");
        Machines.git(front.clone, "checkout", "-q", "-b", "topic");
        Files.writeString(front.clone.resolve("later.txt"), "later\n");
        Machines.git(front.clone, "add", "-A");
        Machines.git(front.clone, "commit", "-q", "-m", "later");
        Machines.git(front.clone, "push", "-q", "origin", "topic");
        var task = new Task(List.of("sh", "-c", "cat ../later.txt; pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), true));

        assertThat(ended.status()).as("%s", ended.latest().evidence()).isEqualTo(Status.COMPLETED);
        assertThat(node(ended)).isEqualTo("one");
        var place = ended.work().orElseThrow().place();
        assertThat(place.base()).isEqualTo(Machines.git(front.clone, "rev-parse", "HEAD"));
        assertThat(place.target()).contains("topic");
        assertThat(place.common()).isEqualTo(one.clone.resolve(".git"));
        assertThat(front.said(ended))
                .contains("later", one.home.worktree(ended.id()).resolve("sub").toString());
    }

    @Test
    void a_commit_that_nobody_else_can_have_is_named_when_a_run_would_begin_at_it_elsewhere() throws IOException {
        var front = machines.front("front", true);
        machines.machine("one");
        Machines.git(front.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("true"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone, true));

        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(Machines.git(front.clone, "rev-parse", "HEAD"));
    }

    @Test
    void what_begins_where_nobody_else_can_begin_stays_on_its_node() throws IOException {
        var one = machines.machine("one");
        machines.machine("two");
        Machines.git(one.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("git", "log", "-1", "--format=%s"), Optional.empty());

        var ended = one.awaitEnd(one.start("command", task, one.clone, true));

        assertThat(node(ended)).isEqualTo("one");
        assertThat(one.said(ended)).contains("never pushed");
    }

    @Test
    void a_run_without_a_worktree_works_in_the_checkout_that_its_node_has() throws IOException {
        var front = machines.front("front", true);
        var one = machines.machine("one");
        var task = new Task(List.of("pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), false));

        assertThat(ended.cwd()).isEqualTo(one.clone.resolve("sub"));
        assertThat(front.said(ended)).contains(one.clone.resolve("sub").toString());
    }

    @Test
    void who_ends_a_run_whose_files_another_node_has_takes_nothing_away_from_them() throws IOException {
        machines.doing("say first-words; result done");
        var one = machines.machine("one");
        var front = machines.front("front", true);
        var desk = machines.front("desk", false);
        var run = one.awaitEnd(one.start(one.clone, true));
        for (int i = 0; i < one.maxLive; i++)
            awaitRunning(
                    one, one.start("command", new Task(List.of("sleep", "1000"), Optional.empty()), one.clone, false));

        front.house.send(front.show(run), "go on", Machines.OPERATOR);
        assertThat(front.show(run).status()).isEqualTo(Status.QUEUED);
        desk.house.stop(desk.show(run), Machines.OPERATOR);

        assertThat(one.show(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        for (var any : List.of(desk, front, one))
            assertThat(any.said(run)).as(any.name).contains("first-words");
        assertThat(Files.readString(one.home.run(run.id()).output())).contains("first-words", "canceled_by_user: ");
    }

    @Test
    void of_two_who_continue_a_run_at_once_on_two_nodes_one_is_told_no_and_the_others_words_arrive() throws Exception {
        // words may also come while it works on others
        machines.doing("""
                hear() { printf '%s\\n' "$1" >>$SIGNALS/prompts; say ok; result done; }
                hear "$prompt"
                while read -r more; do hear "$more"; done
                """);
        var one = machines.machine("one");
        var fronts = List.of(machines.front("left", true), machines.front("right", true));
        var run = one.awaitEnd(one.start(one.clone, true));
        var accepted = new ConcurrentLinkedQueue<String>();
        var refused = new ConcurrentLinkedQueue<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var front : fronts)
                threads.execute(() -> {
                    try {
                        front.house.send(front.show(run), "words of " + front.name, Machines.OPERATOR);
                        accepted.add("words of " + front.name);
                    } catch (Refused no) {
                        refused.add(no.code());
                    }
                });
        }
        assertThat(accepted).isNotEmpty();
        assertThat(refused).hasSize(2 - accepted.size()).allMatch("not_started"::equals);
        await().atMost(Machines.SOON).untilAsserted(() -> assertHeard(accepted));
        one.awaitEnd(run);
        assertHeard(accepted);
    }

    /** Each of these once, and nothing else of the kind. */
    private void assertHeard(Collection<String> words) throws IOException {
        var prompts = Files.readString(machines.root.resolve("prompts"));
        assertThat(prompts).contains(List.copyOf(words));
        assertThat(prompts.split("words of", -1)).hasSize(words.size() + 1);
    }

    @Test
    void a_start_that_is_refused_leaves_nothing_that_it_was_given() throws IOException {
        var one = machines.machine("one");
        var task = new Task(List.of("sleep", "1000"), Optional.empty());
        awaitRunning(one, one.startNamed("same", task));
        assertThatThrownBy(() -> one.startNamed("same", task)).isInstanceOf(Refused.class);
        assertThat(machines.column("SELECT run_id FROM job")).hasSize(1);
    }
}
