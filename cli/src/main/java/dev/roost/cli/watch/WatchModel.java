package dev.roost.cli.watch;

import dev.roost.cli.terminal.KeyPress;
import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.terminal.TerminalSize;
import dev.roost.cli.view.RunCounts;
import dev.roost.cli.view.RunSummary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** State of the full-screen view. Keys and updates change it; {@link WatchView} renders it; {@link WatchScreen} runs its commands. */
final class WatchModel {

    private final RunList fleet = new RunList();
    private final Selection selection = new Selection();
    private final Deque<WatchCommand> commands = new ArrayDeque<>();
    private RunList.RunFilter choice;
    private RunCounts counts = RunCounts.of(List.of());
    private TerminalSize size = new TerminalSize(24, 80);
    private Optional<OpenedRun> opened = Optional.empty();
    private InputPrompt prompt = new InputPrompt.None();
    private Map<String, String> lastLines = Map.of();
    private String statusMessage = "";
    private boolean listed;
    private boolean all;
    private boolean cut;
    private boolean gone;
    private boolean help;

    WatchModel(RunList.RunFilter choice) {
        this.choice = choice;
        this.all = choice.all();
    }

    // State.

    TerminalSize size() {
        return size;
    }

    RunList.RunFilter choice() {
        return choice;
    }

    /** The listed runs, in order. */
    List<JsonNode> rows() {
        return selection.rows();
    }

    RunCounts counts() {
        return counts;
    }

    /** The rows that fit on the screen. */
    List<JsonNode> visible() {
        return selection.visible(WatchView.listHeight(this));
    }

    /** Index of the selected row among the visible ones. */
    int chosen() {
        return selection.chosen();
    }

    Optional<OpenedRun> opened() {
        return opened;
    }

    InputPrompt prompt() {
        return prompt;
    }

    /** Message of the bottom line; empty for none. */
    String statusMessage() {
        return statusMessage;
    }

    String lastLine(JsonNode run) {
        return lastLines.getOrDefault(RunList.id(run), "");
    }

    boolean listed() {
        return listed;
    }

    boolean gone() {
        return gone;
    }

    boolean helping() {
        return help;
    }

    /** Whether older runs are missing from the list. */
    boolean cut() {
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
        fleet.replace(runs);
        cut = incomplete;
        listed = true;
        gone = false;
        runChanged(runs);
    }

    void changed(Collection<JsonNode> runs, Collection<String> removed) {
        fleet.change(runs);
        fleet.remove(removed);
        gone = false;
        runChanged(runs);
    }

    private void runChanged(Collection<JsonNode> runs) {
        opened.ifPresent(one -> runs.stream()
                .filter(run -> RunList.id(run).equals(one.id()))
                .forEach(run -> {
                    boolean ended = one.run().has("ended_at");
                    one.update(run);
                    one.followIfContinued().ifPresent(commands::add);
                    if (!ended && one.run().has("ended_at")) commands.add(new WatchCommand.RefreshRun(one.id()));
                }));
        refresh();
    }

    void daemonLost() {
        gone = true;
    }

    void output(String id, JsonNode output, boolean truncated) {
        opened.filter(one -> one.id().equals(id)).ifPresent(one -> one.appendOutput(output, truncated));
    }

    void runLoaded(JsonNode details) {
        opened.filter(one -> one.id().equals(RunList.id(details))).ifPresent(one -> one.setDetails(details));
    }

    void lastLines(Map<String, String> now) {
        lastLines = now;
    }

    void setStatusMessage(String sentence) {
        statusMessage = sentence;
    }

    private void refresh() {
        selection.show(fleet.shown(choice));
        counts = RunCounts.of(selection.rows());
        scroll();
    }

    private void scroll() {
        selection.scroll(WatchView.listHeight(this));
    }

    // Keys.

    KeyBindings.InputContext place() {
        if (help) return KeyBindings.InputContext.HELP;
        return prompt.place().orElse(opened.isPresent() ? KeyBindings.InputContext.RUN : KeyBindings.InputContext.LIST);
    }

    void press(KeyPress key) {
        statusMessage = "";
        var keyBindings = KeyBindings.of(place(), key);
        switch (place()) {
            case QUESTION, LINE -> inPrompt(keyBindings);
            case HELP -> {
                help = false;
                if (keyBindings == KeyBindings.SimpleIntent.QUIT) commands.add(WatchCommand.SimpleCommand.QUIT);
            }
            case LIST, RUN -> onPage(keyBindings);
        }
        if (keyBindings == KeyBindings.SimpleIntent.SUSPEND) commands.add(WatchCommand.SimpleCommand.SUSPEND);
        if (keyBindings == KeyBindings.SimpleIntent.REPAINT) commands.add(WatchCommand.SimpleCommand.REPAINT);
        scroll();
    }

    private void onPage(KeyBindings keyBindings) {
        switch (keyBindings) {
            case KeyBindings.Move(int by) -> move(by);
            case KeyBindings.Page(int by) ->
                move(by
                        * Math.max(
                                1, opened.isPresent() ? WatchView.outputHeight(this) - 1 : WatchView.listHeight(this)));
            case KeyBindings.Edit _ -> {}
            case KeyBindings.SimpleIntent plain -> plain(plain);
        }
    }

    private void plain(KeyBindings.SimpleIntent intent) {
        switch (intent) {
            case FIRST -> opened.ifPresentOrElse(one -> one.pager().first(), selection::first);
            case LAST -> opened.ifPresentOrElse(one -> one.pager().follow(), selection::last);
            case OPEN -> targetRun().ifPresent(this::open);
            case BACK -> back();
            case QUIT -> commands.add(WatchCommand.SimpleCommand.QUIT);
            case FILTER -> prompt = new InputPrompt.Filter(LineEditor.of(choice.words()));
            case ALL -> showAll();
            case OWNER -> nextOwner();
            case STOP -> targetRun().ifPresent(this::askToStop);
            case MESSAGE -> targetRun().ifPresent(this::askForMessage);
            case HELP -> help = true;
            case NOTHING, YES, NO, ACCEPT, REPAINT, SUSPEND -> {}
        }
    }

    private void move(int by) {
        opened.ifPresentOrElse(
                one -> one.pager().move(by, WatchView.outputHeight(this), size.columns()), () -> selection.move(by));
    }

    /** The open run, else the selected one. */
    private Optional<JsonNode> targetRun() {
        return opened.map(OpenedRun::run).or(selection::run);
    }

    private void open(JsonNode run) {
        var one = new OpenedRun(run);
        opened = Optional.of(one);
        fleet.open(one.id());
        commands.add(one.follow());
        commands.add(new WatchCommand.RefreshRun(one.id()));
    }

    /** Leaves the run, else clears the filter, else quits. */
    private void back() {
        if (opened.isPresent()) {
            opened = Optional.empty();
            commands.add(WatchCommand.SimpleCommand.UNFOLLOW);
        } else if (!choice.words().isEmpty()) {
            choose(new RunList.RunFilter(choice.all(), choice.owner(), ""));
        } else {
            commands.add(WatchCommand.SimpleCommand.QUIT);
        }
    }

    private void choose(RunList.RunFilter now) {
        choice = now;
        refresh();
    }

    private void showAll() {
        choose(new RunList.RunFilter(!choice.all(), choice.owner(), choice.words()));
        if (choice.all() && !all) {
            all = true;
            commands.add(WatchCommand.SimpleCommand.LIST_ALL);
        }
    }

    /** Cycles through all owners, then each owner. */
    private void nextOwner() {
        var owners = new ArrayList<Optional<String>>();
        owners.add(Optional.empty());
        fleet.owners(choice.all()).forEach(owner -> owners.add(Optional.of(owner)));
        int next = (owners.indexOf(choice.owner()) + 1) % owners.size();
        choose(new RunList.RunFilter(choice.all(), owners.get(next), choice.words()));
    }

    private void askToStop(JsonNode run) {
        if (run.has("ended_at")) statusMessage = RunSummary.title(run) + " has ended already.";
        else prompt = new InputPrompt.Stop(RunList.id(run), RunSummary.title(run));
    }

    private void askForMessage(JsonNode run) {
        var question = run.path("question");
        var title = RunSummary.title(run);
        prompt = question.path("kind").asString("").equals("permission")
                ? new InputPrompt.Permission(RunList.id(run), title, question)
                : new InputPrompt.Message(RunList.id(run), title, question, LineEditor.empty());
    }

    private void inPrompt(KeyBindings keyBindings) {
        if (keyBindings == KeyBindings.SimpleIntent.NOTHING
                || keyBindings == KeyBindings.SimpleIntent.SUSPEND
                || keyBindings == KeyBindings.SimpleIntent.REPAINT) return;
        var open = prompt;
        prompt = new InputPrompt.None();
        switch (open) {
            case InputPrompt.None _ -> {}
            case InputPrompt.Stop(var id, var title) -> {
                if (keyBindings == KeyBindings.SimpleIntent.YES) commands.add(new WatchCommand.Stop(id, title));
            }
            case InputPrompt.Permission permission -> answer(permission, keyBindings);
            case InputPrompt.Message(var id, var title, var question, var line) -> {
                if (keyBindings instanceof KeyBindings.Edit(KeyPress key))
                    prompt = new InputPrompt.Message(id, title, question, line.on(key));
                else if (keyBindings == KeyBindings.SimpleIntent.ACCEPT
                        && !line.text().isBlank())
                    commands.add(new WatchCommand.Send(id, title, line.text(), idOf(question)));
            }
            case InputPrompt.Filter(var line) -> filter(line, keyBindings);
        }
    }

    /** Answers only the displayed question; the daemon refuses an answer to one that has just changed. */
    private void answer(InputPrompt.Permission open, KeyBindings keyBindings) {
        if (keyBindings != KeyBindings.SimpleIntent.YES && keyBindings != KeyBindings.SimpleIntent.NO) return;
        var run = opened.map(OpenedRun::run)
                .filter(one -> RunList.id(one).equals(open.id()))
                .or(() -> fleet.find(open.id()));
        if (!run.map(one -> one.path("question")).equals(Optional.of(open.question()))) {
            statusMessage = open.title() + " does not ask this any more; no answer was sent.";
            return;
        }
        var word = keyBindings == KeyBindings.SimpleIntent.YES ? "allow" : "deny";
        commands.add(new WatchCommand.Send(open.id(), open.title(), word, idOf(open.question())));
    }

    private static String idOf(JsonNode question) {
        return question.path("id").asString("");
    }

    private void filter(LineEditor line, KeyBindings keyBindings) {
        if (keyBindings instanceof KeyBindings.Edit(KeyPress key)) {
            prompt = new InputPrompt.Filter(line.on(key));
            line = line.on(key);
        }
        choose(new RunList.RunFilter(
                choice.all(), choice.owner(), keyBindings == KeyBindings.SimpleIntent.BACK ? "" : line.text()));
    }
}
