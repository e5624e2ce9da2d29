package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.git.Git;
import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worktree goes to another machine, with another clone of its repository, and comes back. */
class CheckpointTransferProcessTest {

    private static final long MUCH = 100L << 20;

    @TempDir
    Path room;

    SampleRepository here;
    Worktree w;
    SampleRepository inside;
    SampleRepository there;
    Worktree v;
    Path bundle;

    /** The same run, in a clone in another room. */
    @BeforeEach
    void make() throws IOException {
        here = SampleRepository.in(Files.createDirectories(room.resolve("here")));
        there = SampleRepository.in(Files.createDirectories(room.resolve("there")));
        SafeMove.delete(there.top);
        there.at(there.room).git("clone", "-q", here.top.toString(), "repo");
        there.git("remote", "remove", "origin");
        w = here.make();
        inside = here.at(w.path());
        v = new Worktree(
                w.run(),
                there.room.resolve("elsewhere").resolve(w.run().text()),
                there.origin().common(),
                w.base(),
                w.target());
        bundle = room.resolve("bundle");
    }

    private CheckpointDescriptor wrap() {
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);
        return here.worktrees().export(w, checkpoint, bundle, MUCH);
    }

    private SampleRepository arrive(CheckpointDescriptor descriptor) {
        there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);
        var ensureResult = there.worktrees().ensure(v, there.kept);
        assertThat(ensureResult.how()).isEqualTo(EnsureResult.EnsureAction.FROM_RESCUE);
        return there.at(v.path());
    }

    private static void looksLike(SampleRepository other, SampleRepository one) {
        assertThat(other.files()).isEqualTo(one.files());
        assertThat(other.status()).isEqualTo(one.status());
        assertThat(other.git("rev-parse", "HEAD")).isEqualTo(one.git("rev-parse", "HEAD"));
        assertThat(other.git("rev-parse", "--abbrev-ref", "HEAD"))
                .isEqualTo(one.git("rev-parse", "--abbrev-ref", "HEAD"));
    }

    @Test
    void commits_staged_changed_and_untracked_files_arrive() {
        inside.write("done.txt", "done\n").commit("work");
        inside.write("a.txt", "staged\n").git("add", "a.txt");
        inside.write("a.txt", "and changed\n").write("new/deep.txt", "untracked\n");
        inside.git("rm", "-q", "--cached", "src/b.txt");

        looksLike(arrive(wrap()), inside);
    }

    @Test
    void a_merge_with_conflicts_arrives_in_the_middle() {
        inside.write("a.txt", "ours\n").commit("ours");
        inside.git("checkout", "-q", "-b", "side", w.base());
        inside.write("a.txt", "theirs\n").commit("theirs");
        inside.git("checkout", "-q", w.branch());
        assertThat(inside.tryGit("merge", "side").exit()).isNotZero();

        var arrived = arrive(wrap());

        looksLike(arrived, inside);
        assertThat(arrived.git("diff", "--name-only", "--diff-filter=U")).isEqualTo("a.txt");
        arrived.write("a.txt", "both\n").git("add", "a.txt");
        arrived.git("commit", "-q", "-m", "merged");
    }

    @Test
    void another_branch_that_it_was_on_is_made() {
        inside.git("checkout", "-q", "-b", "feature");
        inside.write("f.txt", "f\n").commit("feature");

        looksLike(arrive(wrap()), inside);
        assertThat(there.git("rev-parse", w.branch())).isEqualTo(w.base());
    }

    @Test
    void only_what_the_remote_lacks_travels() {
        here.git("remote", "add", "origin", "https://127.0.0.1:1/acme/app.git");
        here.git("update-ref", "refs/remotes/origin/main", w.base());
        inside.write("done.txt", "done\n").commit("work");

        var descriptor = wrap();

        assertThat(here.git("bundle", "verify", bundle.toString())).contains("requires this ref", w.base());
        looksLike(arrive(descriptor), inside);
    }

    @Test
    void a_clone_that_lacks_what_it_builds_on_says_so_and_stays_as_it_is() {
        here.write("later.txt", "later\n").commit("later");
        var later = here.make();
        here.git("remote", "add", "origin", "https://127.0.0.1:1/acme/app.git");
        here.git("update-ref", "refs/remotes/origin/main", later.base());
        here.at(later.path()).write("x.txt", "x\n");
        var descriptor = here.worktrees()
                .export(later, here.worktrees().checkpoint(later, "test", SampleRepository.NOW), bundle, MUCH);
        var refs = there.git("for-each-ref");
        var arriving = new Worktree(later.run(), v.path(), v.common(), later.base(), later.target());

        assertThatThrownBy(
                        () -> there.worktrees().receive(arriving, descriptor, bundle, there.kept, SampleRepository.NOW))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("lacks what the work")
                .hasMessageContaining(later.base());
        assertThat(there.git("for-each-ref")).isEqualTo(refs);
        assertThat(v.path()).doesNotExist();
    }

    /** A remote that another machine reaches as well: by ssh, as far as git can tell. */
    private void reach(SampleRepository sampleRepository, Path hub) throws IOException {
        var ssh = room.resolve("ssh");
        Files.writeString(ssh, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        sampleRepository.git("config", "core.sshCommand", ssh.toString());
        sampleRepository.git("config", "ssh.variant", "simple");
        sampleRepository.git("remote", "add", "origin", "git@hub.example:" + hub);
    }

    @Test
    void what_it_builds_on_is_fetched_where_it_lacks() throws IOException {
        var hub = room.resolve("hub.git");
        here.git("init", "-q", "--bare", hub.toString());
        reach(here, hub);
        reach(there, hub);
        here.write("later.txt", "later\n").commit("later");
        here.git("push", "-q", "origin", "main");
        var later = here.make();
        here.at(later.path()).write("x.txt", "x\n");
        var descriptor = here.worktrees()
                .export(later, here.worktrees().checkpoint(later, "test", SampleRepository.NOW), bundle, MUCH);
        assertThat(there.tryGit("cat-file", "-e", later.base()).exit()).isNotZero();
        v = new Worktree(later.run(), v.path(), v.common(), later.base(), later.target());

        looksLike(arrive(descriptor), here.at(later.path()));
        assertThat(there.git("for-each-ref", "refs/remotes")).isEmpty();
    }

    @Test
    void what_is_too_big_does_not_travel() {
        var noise = new byte[2_000_000];
        new Random(1).nextBytes(noise);
        inside.write("big.bin", noise);
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);

        assertThatThrownBy(() -> here.worktrees().export(w, checkpoint, bundle, 100_000))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("beyond what other clones have");
        assertThat(bundle).doesNotExist();
    }

    @Test
    void what_was_pushed_is_fetched() {
        here.git("init", "-q", "--bare", "../../hub.git");
        here.git("remote", "add", "hub", room.resolve("hub.git").toString());
        there.git("remote", "add", "hub", room.resolve("hub.git").toString());
        inside.write("new.txt", "new\n");
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);
        here.worktrees().push(w, checkpoint, "hub");

        var descriptor = here.worktrees().describe(w, checkpoint);
        there.worktrees().fetch(v, descriptor, "hub", there.kept, SampleRepository.NOW);
        there.worktrees().ensure(v, there.kept);

        looksLike(there.at(v.path()), inside);
        assertThat(there.git("for-each-ref", "refs/remotes")).isEmpty();
    }

    @Test
    void it_comes_back_and_what_was_only_here_is_kept() throws IOException {
        Files.writeString(w.common().resolve("info/exclude"), "ignored\n");
        inside.write("done.txt", "done\n").commit("work");
        inside.write("a.txt", "packed\n");
        var descriptor = wrap();
        inside.write("tail.txt", "after it was packed\n").commit("tail"); // and this machine was given up
        inside.write("ignored", "cache\n");
        var lost = inside.git("rev-parse", "HEAD");
        var arrived = arrive(descriptor);
        arrived.write("b.txt", "from the other machine\n").commit("went on");
        arrived.write("a.txt", "dirty there\n");

        var next = there.worktrees().checkpoint(v, "test", SampleRepository.NOW);
        var back = there.worktrees().export(v, next, room.resolve("back"), MUCH);
        var known = here.worktrees().receive(w, back, room.resolve("back"), here.kept, SampleRepository.NOW);
        here.worktrees().ensure(w, here.kept);

        inside.write("ignored", ""); // given back: compared apart
        Files.delete(w.path().resolve("ignored"));
        looksLike(inside, arrived);
        assertThat(here.worktrees().latest(w)).contains(known);
        assertThat(here.git("for-each-ref", "--contains", lost, w.refs()))
                .as("the tail")
                .isNotEmpty();
    }

    @Test
    void receiving_twice_is_receiving_once() {
        inside.write("new.txt", "new\n");
        var descriptor = wrap();

        var first = there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);
        var refs = there.git("for-each-ref");
        var second = there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);

        assertThat(second).isEqualTo(first);
        assertThat(there.git("for-each-ref")).isEqualTo(refs);
    }

    @Test
    void a_cut_or_foreign_bundle_changes_nothing() throws IOException {
        inside.write("new.txt", "new\n");
        var descriptor = wrap();
        var refs = there.git("for-each-ref");
        var bytes = Files.readAllBytes(bundle);

        Files.write(bundle, java.util.Arrays.copyOf(bytes, bytes.length - 50));
        refused(descriptor, "damaged");
        Files.writeString(bundle, "nonsense");
        refused(descriptor, "no bundle");
        Files.write(bundle, bytes);
        refused(new CheckpointDescriptor(descriptor.ref(), w.base(), descriptor.tip()), "another checkpoint");
        refused(
                new CheckpointDescriptor("refs/heads/main", descriptor.commit(), descriptor.tip()),
                "no checkpoint of this run");
        refused(
                new CheckpointDescriptor(w.refs() + "1/../../x", descriptor.commit(), descriptor.tip()),
                "no checkpoint of this run");
        refused(new CheckpointDescriptor(descriptor.ref(), descriptor.commit(), Optional.of("--help")), "at no commit");

        assertThat(there.git("for-each-ref")).isEqualTo(refs);
        assertThat(v.path()).doesNotExist();
    }

    @Test
    void names_that_lead_out_of_a_worktree_are_refused() {
        inside.write("new.txt", "new\n");
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);
        for (var name : java.util.List.of("..", ".git", ".GIT")) {
            var blob = here.git("rev-parse", checkpoint.commit() + ":new.txt");
            var inner = tree("100644 blob " + blob + "\tevil\n");
            var outer = tree("040000 tree " + inner + "\t" + name + "\n");
            var message = here.git("log", "-1", "--format=%B", checkpoint.commit());
            var evil = here.git("commit-tree", outer, "-p", w.base(), "-m", message);
            here.git("update-ref", w.refs() + "9", evil);
            here.git("bundle", "create", "-q", bundle.toString(), w.refs() + "9");

            refused(new CheckpointDescriptor(w.refs() + "9", evil, Optional.empty()), name + "/evil");
        }
    }

    private String tree(String entries) {
        return new Git(here.top, SampleRepository.environment(here.room))
                .given(entries.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .line("mktree");
    }

    private void refused(CheckpointDescriptor descriptor, String why) {
        assertThatThrownBy(() -> there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(why);
    }
}
