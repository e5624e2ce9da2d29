package dev.roost.cli.watch;

import dev.roost.cli.terminal.KeyPress;
import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.terminal.TerminalSize;
import dev.roost.cli.view.RunEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** State of the full-screen view. Keys and updates change it; {@link WatchView} renders it; {@link WatchScreen} runs its commands. */
final class WatchModel {

    private final RunList fleet = new RunList();
    private final Selection selection = new Selection();
    private final Deque<WatchCommand> commands = new ArrayDeque<>();
    private Map<String, String> lastLines = Map.of();
    private boolean all;
    private boolean cut;

    // What the views show.
    RunList.RunFilter choice;
    TerminalSize size = new TerminalSize(24, 80);
    Optional<OpenedRun> opened = Optional.empty();
    Optional<InputPrompt> prompt = Optional.empty();
    String counts = RunListView.counts(List.of());
    String statusMessage = "";
    boolean listed;
    boolean gone;
    boolean help;

    WatchModel(RunList.RunFilter choice) {
        this.choice = choice;
        this.all = choice.all();
    }

    /** The listed runs, in order. */
    List<RunEntry> rows() {
        return selection.rows();
    }

    /** The rows that fit on the screen. */
    List<RunEntry> visible() {
        return selection.visible(WatchView.listHeight(this));
    }

    /** Index of the selected row among the visible ones. */
    int chosen() {
        return selection.chosen();
    }

    String lastLine(RunEntry run) {
        return lastLines.getOrDefault(run.id(), "");
    }

    /** Whether older runs are missing from the list. */
    boolean isCut() {
        return cut && choice.all();
    }

    Optional<WatchCommand> nextCommand() {
        return Optional.ofNullable(commands.poll());
    }

    // Updates.

    void resized(TerminalSize now) {
        size = now;
        scroll();
    }

    void listed(Collection<JsonNode> runs, boolean incomplete) {
        var entries = entries(runs);
        fleet.replace(entries);
        cut = incomplete;
        listed = true;
        runsChanged(entries);
    }

    void changed(Collection<JsonNode> runs, Collection<String> removed) {
        var entries = entries(runs);
        fleet.change(entries);
        fleet.remove(removed);
        runsChanged(entries);
    }

    private static List<RunEntry> entries(Collection<JsonNode> runs) {
        return runs.stream().map(RunEntry::of).toList();
    }

    private void runsChanged(List<RunEntry> runs) {
        gone = false;
        for (var run : runs)
            opened.filter(one -> one.id.equals(run.id())).ifPresent(one -> {
                boolean ended = one.run().ended();
                one.update(run);
                one.followIfContinued().ifPresent(commands::add);
                if (!ended && one.run().ended()) commands.add(new WatchCommand.RefreshRun(one.id));
            });
        refresh();
    }

    void daemonLost() {
        gone = true;
    }

    void output(String id, JsonNode output, boolean truncated) {
        opened.filter(one -> one.id.equals(id)).ifPresent(one -> one.appendOutput(RunEntry.of(output), truncated));
    }

    void runLoaded(JsonNode details) {
        var run = RunEntry.of(details);
        opened.filter(one -> one.id.equals(run.id())).ifPresent(one -> one.setDetails(run));
    }

    void lastLines(Map<String, String> now) {
        lastLines = now;
    }

    void setStatusMessage(String sentence) {
        statusMessage = sentence;
    }

    private void refresh() {
        selection.show(fleet.shown(choice));
        counts = RunListView.counts(rows());
        scroll();
    }

    private void scroll() {
        selection.scroll(WatchView.listHeight(this));
    }

    // Keys.

    KeyAction.InputContext context() {
        if (help) return KeyAction.InputContext.HELP;
        return prompt.map(InputPrompt::context)
                .orElse(opened.isPresent() ? KeyAction.InputContext.RUN : KeyAction.InputContext.LIST);
    }

    void press(KeyPress key) {
        statusMessage = "";
        var action = KeyAction.of(context(), key);
        if (help) {
            help = false;
            if (action == KeyAction.QUIT) commands.add(WatchCommand.SimpleCommand.QUIT);
        } else if (prompt.isPresent()) inPrompt(prompt.get(), action, key);
        else onPage(action);
        if (action == KeyAction.SUSPEND) commands.add(WatchCommand.SimpleCommand.SUSPEND);
        if (action == KeyAction.REPAINT) commands.add(WatchCommand.SimpleCommand.REPAINT);
        scroll();
    }

    private void onPage(KeyAction action) {
        switch (action) {
            case UP -> move(-1);
            case DOWN -> move(1);
            case PAGE_UP -> move(-page());
            case PAGE_DOWN -> move(page());
            case FIRST -> opened.ifPresentOrElse(one -> one.pager.first(), () -> selection.select(0));
            case LAST -> opened.ifPresentOrElse(one -> one.pager.follow(), () -> selection.select(Integer.MAX_VALUE));
            case OPEN -> targetRun().ifPresent(this::open);
            case BACK -> back();
            case QUIT -> commands.add(WatchCommand.SimpleCommand.QUIT);
            case FILTER -> prompt = Optional.of(new InputPrompt.Filter(LineEditor.of(choice.words())));
            case ALL -> showAll();
            case OWNER -> nextOwner();
            case STOP -> targetRun().ifPresent(this::askToStop);
            case MESSAGE -> targetRun().ifPresent(this::askForMessage);
            case HELP -> help = true;
            case NOTHING, YES, NO, ACCEPT, EDIT, REPAINT, SUSPEND -> {}
        }
    }

    private int page() {
        return Math.max(1, opened.isPresent() ? WatchView.outputHeight(this) - 1 : WatchView.listHeight(this));
    }

    private void move(int by) {
        opened.ifPresentOrElse(
                one -> one.pager.move(by, WatchView.outputHeight(this), size.columns()), () -> selection.move(by));
    }

    /** The open run, else the selected one. */
    private Optional<RunEntry> targetRun() {
        return opened.map(OpenedRun::run).or(selection::run);
    }

    private void open(RunEntry run) {
        var one = new OpenedRun(run);
        opened = Optional.of(one);
        fleet.open(one.id);
        commands.add(one.follow());
        commands.add(new WatchCommand.RefreshRun(one.id));
    }

    /** Leaves the run, else clears the filter, else quits. */
    private void back() {
        if (opened.isPresent()) {
            opened = Optional.empty();
            commands.add(WatchCommand.SimpleCommand.UNFOLLOW);
        } else if (!choice.words().isEmpty()) choose(choice.all(), choice.owner(), "");
        else commands.add(WatchCommand.SimpleCommand.QUIT);
    }

    private void choose(boolean ended, Optional<String> owner, String words) {
        choice = new RunList.RunFilter(ended, owner, words);
        refresh();
    }

    private void showAll() {
        choose(!choice.all(), choice.owner(), choice.words());
        if (choice.all() && !all) {
            all = true;
            commands.add(WatchCommand.SimpleCommand.LIST_ALL);
        }
    }

    /** Cycles through all owners, then each owner. */
    private void nextOwner() {
        var owners = new ArrayList<Optional<String>>(List.of(Optional.empty()));
        fleet.owners(choice.all()).forEach(owner -> owners.add(Optional.of(owner)));
        int next = (owners.indexOf(choice.owner()) + 1) % owners.size();
        choose(choice.all(), owners.get(next), choice.words());
    }

    private void askToStop(RunEntry run) {
        if (run.ended()) statusMessage = run.title() + " has ended already.";
        else prompt = Optional.of(new InputPrompt.Stop(run));
    }

    private void askForMessage(RunEntry run) {
        prompt = Optional.of(
                run.asksForPermission()
                        ? new InputPrompt.Permission(run)
                        : new InputPrompt.Message(run, LineEditor.empty()));
    }

    private void inPrompt(InputPrompt open, KeyAction action, KeyPress key) {
        if (Set.of(KeyAction.NOTHING, KeyAction.SUSPEND, KeyAction.REPAINT).contains(action)) return;
        prompt = Optional.empty();
        switch (open) {
            case InputPrompt.Stop(var run) -> {
                if (action == KeyAction.YES) commands.add(new WatchCommand.Stop(run.id(), run.title()));
            }
            case InputPrompt.Permission(var run) -> {
                if (action == KeyAction.YES) answer(run, "allow");
                else if (action == KeyAction.NO) answer(run, "deny");
            }
            case InputPrompt.Message(var run, var line) -> {
                if (action == KeyAction.EDIT) prompt = Optional.of(new InputPrompt.Message(run, line.on(key)));
                else if (action == KeyAction.ACCEPT && !line.text().isBlank()) send(run, line.text());
            }
            case InputPrompt.Filter(var line) -> {
                var edited = action == KeyAction.EDIT ? line.on(key) : line;
                if (action == KeyAction.EDIT) prompt = Optional.of(new InputPrompt.Filter(edited));
                choose(choice.all(), choice.owner(), action == KeyAction.BACK ? "" : edited.text());
            }
        }
    }

    /** Answers only the displayed question; the daemon refuses an answer to one that has just changed. */
    private void answer(RunEntry asked, String word) {
        var now = opened.map(OpenedRun::run)
                .filter(one -> one.id().equals(asked.id()))
                .or(() -> fleet.find(asked.id()));
        if (now.map(RunEntry::question).equals(Optional.of(asked.question()))) send(asked, word);
        else statusMessage = asked.title() + " does not ask this any more; no answer was sent.";
    }

    private void send(RunEntry run, String message) {
        commands.add(new WatchCommand.Send(
                run.id(), run.title(), message, run.question().path("id").asString("")));
    }
}
