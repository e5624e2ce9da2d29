package dev.roost.daemon.web;

import dev.roost.git.worktree.ChangedFile;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.service.RoostService;
import java.util.ArrayList;
import java.util.List;

/** The panel that shows where a run's code is, and the commands to get it. */
record WorktreePanel(RoostService service, RunRecord run) {

    private static final int MOST_FILES = 50;

    /** The place of a run's code, as one line. */
    static Html where(RunRecord run) {
        if (run.work().isEmpty()) return Html.of("<span class=\"work\">worked in <code>{}</code></span>", run.cwd());
        var worktree = run.work().get();
        var landing = worktree.landing().map(WorktreeRecord.LandingState::words).orElse("not looked at yet");
        if (landing.equals("nothing")) return Html.of("<span class=\"work\">changed nothing</span>");
        if (worktree.rescue().isEmpty()) return Html.of("<span class=\"work\">code: {}</span>", landing);
        return Html.of(
                "<span class=\"work\">code: {} · get it: {}</span>", landing, command("roost restore " + run.id()));
    }

    static Html command(String text) {
        return Html.of(
                "<span class=\"command\"><code>{}</code><button type=\"button\" class=\"copy\" data-copy=\"{}\" aria-label=\"copy the command\">copy</button></span>",
                text,
                text);
    }

    Html html() {
        if (run.work().isEmpty()) {
            return Html.of(
                    "<section id=\"work\" class=\"panel\"><h2>Work</h2><p>It works in <code>{}</code>, without a worktree of its own.</p></section>",
                    run.cwd());
        }
        var worktree = run.work().get();
        var trouble = worktree.trouble()
                .map(words -> Html.of("<p class=\"trouble\">{}</p>", words))
                .orElse(Html.NONE);
        return Html.of(
                """
                <section id="work" class="panel"><h2>Work</h2><p class="landing">{} {}</p>{}\
                <dl class="facts"><dt>worktree</dt><dd><code>{}</code>{}</dd>{}</dl>{}{}</section>
                """,
                LandingSteps.of(run),
                worktree.landing().map(WorktreeRecord.LandingState::words).orElse("not looked at yet"),
                trouble,
                worktree.place().path(),
                worktree.isThere() ? "" : " (removed)",
                worktree.rescue()
                        .map(kept -> Html.of("<dt>kept as</dt><dd><code>{}</code></dd>", kept.ref()))
                        .orElse(Html.NONE),
                files(),
                commands(worktree));
    }

    private Html commands(WorktreeRecord worktree) {
        var lines = new ArrayList<Html>();
        if (worktree.isThere() && service.runWorktrees().ownerNode(run).isEmpty())
            lines.add(command("cd " + quoted(worktree.place().path().toString())));
        if (worktree.rescue().isPresent()) {
            lines.add(command("roost restore " + run.id()));
            service.runWorktrees()
                    .plainGit(run)
                    .ifPresent(words -> lines.add(command(String.join(
                            " ", words.stream().map(WorktreePanel::quoted).toList()))));
        }
        if (lines.isEmpty()) return Html.NONE;
        return Html.of("<h3>Take it</h3><div class=\"commands\">{}</div>", Html.all(lines));
    }

    /** Quotes a word for the shell. */
    static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./^{}-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private Html files() {
        var node = service.runWorktrees().ownerNode(run);
        if (node.isPresent()) return Html.of("<p class=\"dim\">Its files are on {}.</p>", node.get());
        var changed = service.runWorktrees().changed(run).orElse(List.of());
        if (changed.isEmpty()) return Html.of("<p class=\"dim\">No file differs from the base.</p>");
        int added = changed.stream().mapToInt(ChangedFile::added).sum();
        int removed = changed.stream().mapToInt(ChangedFile::removed).sum();
        var rows = changed.stream().limit(MOST_FILES).map(WorktreePanel::file).toList();
        return Html.of(
                """
                <h3>{} file{} changed <span class="plus">+{}</span> <span class="minus">−{}</span></h3>\
                <table class="diff"><tbody>{}</tbody></table>{}
                """,
                changed.size(),
                changed.size() == 1 ? "" : "s",
                added,
                removed,
                Html.all(rows),
                changed.size() > MOST_FILES
                        ? Html.of("<p class=\"dim\">and {} more</p>", changed.size() - MOST_FILES)
                        : Html.NONE);
    }

    private static Html file(ChangedFile file) {
        if (file.untracked() || file.binary())
            return Html.of(
                    "<tr><td><code>{}</code></td><td class=\"dim\">{}</td></tr>",
                    file.path(),
                    file.untracked() ? "new, untracked" : "binary");
        return Html.of(
                "<tr><td><code>{}</code></td><td><span class=\"plus\">+{}</span> <span class=\"minus\">−{}</span></td></tr>",
                file.path(),
                file.added(),
                file.removed());
    }
}
