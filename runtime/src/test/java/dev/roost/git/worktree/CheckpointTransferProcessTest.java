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

/** A checkpoint moves a worktree to a clone on another machine, and back. */
class CheckpointTransferProcessTest {

    private static final long ENOUGH_BYTES = 100L << 20;

    @TempDir
    Path room;

    SampleRepository here;
    Worktree w;
    SampleRepository inside;
    SampleRepository there;
    Worktree v;
    Path bundle;

    /** Two clones in two directories stand for two machines; both have a worktree path for the same run. */
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

    private CheckpointDescriptor exportBundle() {
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);
        return here.worktrees().export(w, checkpoint, bundle, ENOUGH_BYTES);
    }

    private SampleRepository receiveBundle(CheckpointDescriptor descriptor) {
        there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);
        var ensureResult = there.worktrees().ensure(v, there.kept);
        assertThat(ensureResult.how()).isEqualTo(EnsureResult.EnsureAction.FROM_RESCUE);
        return there.at(v.path());
    }

    private static void assertSameState(SampleRepository other, SampleRepository one) {
        assertThat(other.files()).isEqualTo(one.files());
        assertThat(other.status()).isEqualTo(one.status());
        assertThat(other.git("rev-parse", "HEAD")).isEqualTo(one.git("rev-parse", "HEAD"));
        assertThat(other.git("rev-parse", "--abbrev-ref", "HEAD"))
                .isEqualTo(one.git("rev-parse", "--abbrev-ref", "HEAD"));
    }

    @Test
    void commits_and_staged_changed_and_untracked_files_are_transferred() {
        inside.write("done.txt", "done\n").commit("work");
        inside.write("a.txt", "staged\n").git("add", "a.txt");
        inside.write("a.txt", "and changed\n").write("new/deep.txt", "untracked\n");
        inside.git("rm", "-q", "--cached", "src/b.txt");

        assertSameState(receiveBundle(exportBundle()), inside);
    }

    @Test
    void a_merge_with_conflicts_is_transferred_unfinished() {
        inside.write("a.txt", "ours\n").commit("ours");
        inside.git("checkout", "-q", "-b", "side", w.base());
        inside.write("a.txt", "theirs\n").commit("theirs");
        inside.git("checkout", "-q", w.branch());
        assertThat(inside.tryGit("merge", "side").exit()).isNotZero();

        var arrived = receiveBundle(exportBundle());

        assertSameState(arrived, inside);
        assertThat(arrived.git("diff", "--name-only", "--diff-filter=U")).isEqualTo("a.txt");
        arrived.write("a.txt", "both\n").git("add", "a.txt");
        arrived.git("commit", "-q", "-m", "merged");
    }

    @Test
    void the_current_branch_of_the_worktree_is_created_in_the_other_clone() {
        inside.git("checkout", "-q", "-b", "feature");
        inside.write("f.txt", "f\n").commit("feature");

        assertSameState(receiveBundle(exportBundle()), inside);
        assertThat(there.git("rev-parse", w.branch())).isEqualTo(w.base());
    }

    @Test
    void the_bundle_holds_only_commits_that_the_remote_lacks() {
        here.git("remote", "add", "origin", "https://127.0.0.1:1/acme/app.git");
        here.git("update-ref", "refs/remotes/origin/main", w.base());
        inside.write("done.txt", "done\n").commit("work");

        var descriptor = exportBundle();

        assertThat(here.git("bundle", "verify", bundle.toString())).contains("requires this ref", w.base());
        assertSameState(receiveBundle(descriptor), inside);
    }

    @Test
    void a_clone_that_lacks_the_base_commit_refuses_the_bundle_and_does_not_change() {
        here.write("later.txt", "later\n").commit("later");
        var later = here.make();
        here.git("remote", "add", "origin", "https://127.0.0.1:1/acme/app.git");
        here.git("update-ref", "refs/remotes/origin/main", later.base());
        here.at(later.path()).write("x.txt", "x\n");
        var descriptor = here.worktrees()
                .export(later, here.worktrees().checkpoint(later, "test", SampleRepository.NOW), bundle, ENOUGH_BYTES);
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

    /** Adds a remote with an ssh address, so that Roost expects other machines to reach it. */
    private void addSshRemote(SampleRepository sampleRepository, Path hub) throws IOException {
        var ssh = room.resolve("ssh");
        Files.writeString(ssh, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        sampleRepository.git("config", "core.sshCommand", ssh.toString());
        sampleRepository.git("config", "ssh.variant", "simple");
        sampleRepository.git("remote", "add", "origin", "git@hub.example:" + hub);
    }

    @Test
    void a_missing_base_commit_is_fetched_from_the_remote() throws IOException {
        var hub = room.resolve("hub.git");
        here.git("init", "-q", "--bare", hub.toString());
        addSshRemote(here, hub);
        addSshRemote(there, hub);
        here.write("later.txt", "later\n").commit("later");
        here.git("push", "-q", "origin", "main");
        var later = here.make();
        here.at(later.path()).write("x.txt", "x\n");
        var descriptor = here.worktrees()
                .export(later, here.worktrees().checkpoint(later, "test", SampleRepository.NOW), bundle, ENOUGH_BYTES);
        assertThat(there.tryGit("cat-file", "-e", later.base()).exit()).isNotZero();
        v = new Worktree(later.run(), v.path(), v.common(), later.base(), later.target());

        assertSameState(receiveBundle(descriptor), here.at(later.path()));
        assertThat(there.git("for-each-ref", "refs/remotes")).isEmpty();
    }

    @Test
    void a_checkpoint_over_the_size_limit_is_not_exported() {
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
    void a_pushed_checkpoint_can_be_fetched_by_another_clone() {
        here.git("init", "-q", "--bare", "../../hub.git");
        here.git("remote", "add", "hub", room.resolve("hub.git").toString());
        there.git("remote", "add", "hub", room.resolve("hub.git").toString());
        inside.write("new.txt", "new\n");
        var checkpoint = here.worktrees().checkpoint(w, "test", SampleRepository.NOW);
        here.worktrees().push(w, checkpoint, "hub");

        var descriptor = here.worktrees().describe(w, checkpoint);
        there.worktrees().fetch(v, descriptor, "hub", there.kept, SampleRepository.NOW);
        there.worktrees().ensure(v, there.kept);

        assertSameState(there.at(v.path()), inside);
        assertThat(there.git("for-each-ref", "refs/remotes")).isEmpty();
    }

    @Test
    void a_returning_checkpoint_is_received_and_commits_that_exist_only_here_are_kept() throws IOException {
        Files.writeString(w.common().resolve("info/exclude"), "ignored\n");
        inside.write("done.txt", "done\n").commit("work");
        inside.write("a.txt", "packed\n");
        var descriptor = exportBundle();
        inside.write("tail.txt", "after it was packed\n").commit("tail"); // the bundle lacks it
        inside.write("ignored", "cache\n");
        var lost = inside.git("rev-parse", "HEAD");
        var arrived = receiveBundle(descriptor);
        arrived.write("b.txt", "from the other machine\n").commit("went on");
        arrived.write("a.txt", "dirty there\n");

        var next = there.worktrees().checkpoint(v, "test", SampleRepository.NOW);
        var back = there.worktrees().export(v, next, room.resolve("back"), ENOUGH_BYTES);
        var known = here.worktrees().receive(w, back, room.resolve("back"), here.kept, SampleRepository.NOW);
        here.worktrees().ensure(w, here.kept);

        inside.write("ignored", ""); // a file of this machine only: not compared
        Files.delete(w.path().resolve("ignored"));
        assertSameState(inside, arrived);
        assertThat(here.worktrees().latest(w)).contains(known);
        assertThat(here.git("for-each-ref", "--contains", lost, w.refs()))
                .as("the commit that the bundle lacks")
                .isNotEmpty();
    }

    @Test
    void receiving_the_same_bundle_twice_changes_nothing() {
        inside.write("new.txt", "new\n");
        var descriptor = exportBundle();

        var first = there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);
        var refs = there.git("for-each-ref");
        var second = there.worktrees().receive(v, descriptor, bundle, there.kept, SampleRepository.NOW);

        assertThat(second).isEqualTo(first);
        assertThat(there.git("for-each-ref")).isEqualTo(refs);
    }

    @Test
    void a_truncated_or_foreign_bundle_is_refused_and_changes_nothing() throws IOException {
        inside.write("new.txt", "new\n");
        var descriptor = exportBundle();
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
    void file_names_that_leave_the_worktree_are_refused() {
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
