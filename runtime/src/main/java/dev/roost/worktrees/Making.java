package dev.roost.worktrees;

import dev.roost.run.Broken;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes a worktree, or what is missing of it. It grows in a place beside its own and is moved there when it is whole, so
 * that a crash leaves either none or a good one.
 */
final class Making {

    private static final int MOST_TRIES = 4;

    private final Git git;
    private final Worktree w;
    private final Path to;

    Making(Git git, Worktree w, Path to) {
        this.git = git.at(w.common());
        this.w = w;
        this.to = to.toAbsolutePath().normalize();
    }

    /** Where it grows. The last name is the run's, which git takes for its own files as well. */
    Path growing() {
        return nest().resolve(to.getFileName());
    }

    private Path nest() {
        return to.resolveSibling(".roost-making-" + to.getFileName());
    }

    /** Ends what a crash left half-made there. */
    void clear() throws IOException {
        for (var begun : Admin.begunFor(reason(), w.common())) Moving.delete(begun.dir());
        var whole = Admin.of(to, w.common());
        for (var admin : Admin.allPointingTo(growing(), w.common())) {
            if (whole.equals(Optional.of(admin))) admin.pointTo(to); // it was moved; only git had not been told
            else Moving.delete(admin.dir());
        }
        Moving.delete(nest());
    }

    /** On the run's branch, made at the base unless it is there already. */
    void fresh() throws IOException {
        try (var _ = Locks.on(w.common())) {
            clear();
            if (!exists(w.branchRef()))
                git.run(
                        "update-ref",
                        w.branchRef(),
                        w.base(),
                        "0".repeat(w.base().length()));
            var words = adding();
            if (isCheckedOut(w.branchRef()))
                words.addAll(List.of("--detach", growing().toString(), w.branchRef()));
            else words.addAll(List.of(growing().toString(), w.branch()));
            add(words);
            settle();
        }
    }

    /** As the checkpoint has it; {@code kept} is read where it belongs to that checkpoint. */
    void from(Rescues.Known rescue, Kept kept) throws IOException {
        try (var _ = Locks.on(w.common())) {
            clear();
            var admin = bare(rescue.message().head().orElse(w.base()));
            try {
                new Filling(git.at(growing()), admin, growing()).fill(rescue, kept, isHome());
                putHead(rescue.message());
                git.at(growing()).ask("update-index", "-q", "--refresh");
            } catch (IOException | RuntimeException e) {
                clear();
                throw e;
            }
            settle();
        }
    }

    /** Git lost track of a directory with files in it: it gets new papers, and its files stay. */
    void attach(Optional<Rescues.Known> rescue) throws IOException {
        try (var _ = Locks.on(w.common())) {
            clear();
            var known = Admin.pointingTo(to, w.common()).filter(Admin::isWhole);
            if (known.isPresent()) {
                var fresh = to.resolve(".git.roost");
                Files.writeString(fresh, "gitdir: " + known.get().dir() + "\n", StandardCharsets.UTF_8);
                Files.move(fresh, to.resolve(".git"), StandardCopyOption.ATOMIC_MOVE);
                return;
            }
            var said = rescue.map(Rescues.Known::message);
            boolean ownBranch = exists(w.branchRef())
                    && said.flatMap(Message::branch).map(w.branchRef()::equals).orElse(true)
                    && said.flatMap(Message::mid).isEmpty();
            var head = ownBranch
                    ? git.line("rev-parse", w.branchRef() + "^{commit}")
                    : said.flatMap(Message::head).orElse(w.base());
            var admin = bare(head);
            if (ownBranch && !isCheckedOut(w.branchRef())) git.at(growing()).run("symbolic-ref", "HEAD", w.branchRef());
            var grown = git.at(growing());
            if (rescue.isPresent() && said.flatMap(Message::head).equals(Optional.of(head)))
                new Filling(grown, admin, growing()).index(rescue.get());
            else grown.run("read-tree", head);
            Files.move(growing().resolve(".git"), to.resolve(".git"), StandardCopyOption.ATOMIC_MOVE);
            admin.pointTo(to);
            git.at(to).ask("update-index", "-q", "--refresh");
            Moving.delete(nest());
        }
    }

    private Admin bare(String commit) throws IOException {
        var words = adding();
        words.addAll(List.of("--no-checkout", "--detach", growing().toString(), commit));
        add(words);
        return Admin.of(growing(), w.common())
                .orElseThrow(() -> new Broken("git_failed", "git made no worktree.", "Look at " + w.common() + "."));
    }

    /** Somebody's gc may sweep away what git has just begun, in the moment before it is locked. */
    private void add(List<String> words) throws IOException {
        var all = words.toArray(String[]::new);
        for (int i = 1; i < MOST_TRIES; i++) {
            if (git.ask(all).ok()) return;
            if (Thread.currentThread().isInterrupted()) throw new InterruptedIOException("it was to end before that");
            clear();
        }
        git.run(all);
    }

    private List<String> adding() {
        // twice: the place may still be on git's list, and locked, from before it was lost
        return new ArrayList<>(List.of("worktree", "add", "--force", "--force", "--lock", "--reason", reason()));
    }

    private String reason() {
        return "roost " + w.run();
    }

    void lock() {
        git.ask("worktree", "lock", "--reason", reason(), to.toString());
    }

    private void settle() throws IOException {
        var admin = Admin.of(growing(), w.common()).orElseThrow();
        var stale = Admin.pointingTo(to, w.common());
        if (stale.isPresent()) git.ask("worktree", "remove", "--force", "--force", to.toString());
        Files.createDirectories(to.getParent());
        if (Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) Moving.deleteIfEmpty(to);
        Files.move(growing(), to, StandardCopyOption.ATOMIC_MOVE);
        admin.pointTo(to);
        Moving.delete(nest());
    }

    /** HEAD goes back onto its branch, if that still is where it was and nobody else has it. Branches never move. */
    private void putHead(Message said) {
        if (said.branch().isEmpty() || !isHome()) return;
        var branch = said.branch().get();
        var grown = git.at(growing());
        if (said.head().isEmpty()) {
            if (!exists(branch)) grown.run("symbolic-ref", "HEAD", branch);
            return;
        }
        var head = said.head().get();
        if (branch.equals(w.branchRef()) && !exists(branch))
            git.ask("update-ref", branch, head, "0".repeat(head.length()));
        var now = git.ask("rev-parse", "--verify", "--quiet", branch + "^{commit}");
        if (now.ok() && now.line().equals(head) && !isCheckedOut(branch)) grown.run("symbolic-ref", "HEAD", branch);
    }

    private boolean isHome() {
        return to.equals(w.path().toAbsolutePath().normalize());
    }

    private boolean exists(String ref) {
        return git.ask("rev-parse", "--verify", "--quiet", ref + "^{commit}").ok();
    }

    /** Whether another worktree than this one has the branch. */
    private boolean isCheckedOut(String branch) {
        var place = "";
        for (var line : git.run("worktree", "list", "--porcelain").lines()) {
            if (line.startsWith("worktree ")) place = line.substring("worktree ".length());
            boolean own = place.equals(to.toString()) || place.equals(growing().toString());
            if (!own && line.equals("branch " + branch)) return true;
        }
        return false;
    }
}
