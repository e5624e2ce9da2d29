package dev.roost.cli;

import dev.roost.cli.terminal.Key;
import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.terminal.Size;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** All that the full-screen view knows. Keys and news change it; {@link Pages} shows it; what it wants done are wishes. */
final class Board {

    private final Fleet fleet = new Fleet();
    private final Selection selection = new Selection();
    private final Deque<Wish> wishes = new ArrayDeque<>();
    private Fleet.Choice choice;
    private Counts counts = Counts.of(List.of());
    private Size size = new Size(24, 80);
    private Optional<Opened> opened = Optional.empty();
    private Prompt prompt = new Prompt.None();
    private Map<String, String> lastLines = Map.of();
    private String said = "";
    private boolean listed;
    private boolean all;
    private boolean cut;
    private boolean gone;
    private boolean help;

    Board(Fleet.Choice choice) {
        this.choice = choice;
        this.all = choice.all();
    }

    // What is known.

    Size size() {
        return size;
    }

    Fleet.Choice choice() {
        return choice;
    }

    /** The runs that are looked at, in order. */
    List<JsonNode> rows() {
        return selection.rows();
    }

    Counts counts() {
        return counts;
    }

    /** Those for which there is room. */
    List<JsonNode> visible() {
        return selection.visible(Pages.listHeight(this));
    }

    /** Which of the visible ones is chosen. */
    int chosen() {
        return selection.chosen();
    }

    Optional<Opened> opened() {
        return opened;
    }

    Prompt prompt() {
        return prompt;
    }

    /** What happened last, for a line at the bottom; empty if nothing. */
    String said() {
        return said;
    }

    String lastLine(JsonNode run) {
        return lastLines.getOrDefault(Fleet.id(run), "");
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

    /** There are older runs, too many to list. */
    boolean cut() {
        return cut && choice.all();
    }

    Optional<Wish> nextWish() {
        return Optional.ofNullable(wishes.poll());
    }

    // What is heard.

    void resized(Size now) {
        size = now;
        scroll();
    }

    void listed(Collection<JsonNode> runs, boolean someLeftOff) {
        fleet.replace(runs);
        cut = someLeftOff;
        listed = true;
        gone = false;
        heardOf(runs);
    }

    void changed(Collection<JsonNode> runs, Collection<String> removed) {
        fleet.change(runs);
        fleet.remove(removed);
        gone = false;
        heardOf(runs);
    }

    private void heardOf(Collection<JsonNode> runs) {
        opened.ifPresent(one -> runs.stream()
                .filter(run -> Fleet.id(run).equals(one.id()))
                .forEach(run -> {
                    boolean ended = one.run().has("ended_at");
                    one.heard(run);
                    one.goesOn().ifPresent(wishes::add);
                    if (!ended && one.run().has("ended_at")) wishes.add(new Wish.Look(one.id()));
                }));
        refresh();
    }

    void lost() {
        gone = true;
    }

    void output(String id, JsonNode output, boolean fromTheMiddle) {
        opened.filter(one -> one.id().equals(id)).ifPresent(one -> one.said(output, fromTheMiddle));
    }

    void looked(JsonNode shown) {
        opened.filter(one -> one.id().equals(Fleet.id(shown))).ifPresent(one -> one.looked(shown));
    }

    void lastLines(Map<String, String> now) {
        lastLines = now;
    }

    void say(String sentence) {
        said = sentence;
    }

    private void refresh() {
        selection.show(fleet.shown(choice));
        counts = Counts.of(selection.rows());
        scroll();
    }

    private void scroll() {
        selection.scroll(Pages.listHeight(this));
    }

    // What is pressed.

    Intent.Place place() {
        if (help) return Intent.Place.HELP;
        return prompt.place().orElse(opened.isPresent() ? Intent.Place.RUN : Intent.Place.LIST);
    }

    void press(Key key) {
        said = "";
        var intent = Intent.of(place(), key);
        switch (place()) {
            case QUESTION, LINE -> inPrompt(intent);
            case HELP -> {
                help = false;
                if (intent == Intent.Plain.QUIT) wishes.add(Wish.Plain.QUIT);
            }
            case LIST, RUN -> onPage(intent);
        }
        if (intent == Intent.Plain.SUSPEND) wishes.add(Wish.Plain.SUSPEND);
        if (intent == Intent.Plain.REPAINT) wishes.add(Wish.Plain.REPAINT);
        scroll();
    }

    private void onPage(Intent intent) {
        switch (intent) {
            case Intent.Move(int by) -> move(by);
            case Intent.Page(int by) ->
                move(by * Math.max(1, opened.isPresent() ? Pages.outputHeight(this) - 1 : Pages.listHeight(this)));
            case Intent.Edit _ -> {}
            case Intent.Plain plain -> plain(plain);
        }
    }

    private void plain(Intent.Plain intent) {
        switch (intent) {
            case FIRST -> opened.ifPresentOrElse(one -> one.pager().first(), selection::first);
            case LAST -> opened.ifPresentOrElse(one -> one.pager().follow(), selection::last);
            case OPEN -> target().ifPresent(this::open);
            case BACK -> back();
            case QUIT -> wishes.add(Wish.Plain.QUIT);
            case FILTER -> prompt = new Prompt.Filter(LineEditor.of(choice.words()));
            case ALL -> showAll();
            case OWNER -> nextOwner();
            case STOP -> target().ifPresent(this::askToStop);
            case MESSAGE -> target().ifPresent(this::askForMessage);
            case HELP -> help = true;
            case NOTHING, YES, NO, ACCEPT, REPAINT, SUSPEND -> {}
        }
    }

    private void move(int by) {
        opened.ifPresentOrElse(
                one -> one.pager().move(by, Pages.outputHeight(this), size.columns()), () -> selection.move(by));
    }

    /** The run that a key is about. */
    private Optional<JsonNode> target() {
        return opened.map(Opened::run).or(selection::run);
    }

    private void open(JsonNode run) {
        var one = new Opened(run);
        opened = Optional.of(one);
        fleet.open(one.id());
        wishes.add(one.follow());
        wishes.add(new Wish.Look(one.id()));
    }

    /** Out of the run, then out of what was filtered; never out of the view by one key too many. */
    private void back() {
        if (opened.isPresent()) {
            opened = Optional.empty();
            wishes.add(Wish.Plain.UNFOLLOW);
        } else if (!choice.words().isEmpty()) {
            choose(new Fleet.Choice(choice.all(), choice.owner(), ""));
        } else {
            wishes.add(Wish.Plain.QUIT);
        }
    }

    private void choose(Fleet.Choice now) {
        choice = now;
        refresh();
    }

    private void showAll() {
        choose(new Fleet.Choice(!choice.all(), choice.owner(), choice.words()));
        if (choice.all() && !all) {
            all = true;
            wishes.add(Wish.Plain.LIST_ALL);
        }
    }

    /** Everybody's, then one's after the other's. */
    private void nextOwner() {
        var owners = new ArrayList<Optional<String>>();
        owners.add(Optional.empty());
        fleet.owners(choice.all()).forEach(owner -> owners.add(Optional.of(owner)));
        int next = (owners.indexOf(choice.owner()) + 1) % owners.size();
        choose(new Fleet.Choice(choice.all(), owners.get(next), choice.words()));
    }

    private void askToStop(JsonNode run) {
        if (run.has("ended_at")) said = Summary.title(run) + " has ended already.";
        else prompt = new Prompt.Stop(Fleet.id(run), Summary.title(run));
    }

    private void askForMessage(JsonNode run) {
        var question = run.path("question");
        var title = Summary.title(run);
        prompt = question.path("kind").asString("").equals("permission")
                ? new Prompt.Permission(Fleet.id(run), title, question)
                : new Prompt.Message(Fleet.id(run), title, question, LineEditor.empty());
    }

    private void inPrompt(Intent intent) {
        if (intent == Intent.Plain.NOTHING || intent == Intent.Plain.SUSPEND || intent == Intent.Plain.REPAINT) return;
        var asked = prompt;
        prompt = new Prompt.None();
        switch (asked) {
            case Prompt.None _ -> {}
            case Prompt.Stop(var id, var title) -> {
                if (intent == Intent.Plain.YES) wishes.add(new Wish.Stop(id, title));
            }
            case Prompt.Permission permission -> answer(permission, intent);
            case Prompt.Message(var id, var title, var question, var line) -> {
                if (intent instanceof Intent.Edit(Key key))
                    prompt = new Prompt.Message(id, title, question, line.on(key));
                else if (intent == Intent.Plain.ACCEPT && !line.text().isBlank())
                    wishes.add(new Wish.Send(id, title, line.text(), idOf(question)));
            }
            case Prompt.Filter(var line) -> filter(line, intent);
        }
    }

    /** Only the question that was shown is answered: what is news to us too, the daemon refuses. */
    private void answer(Prompt.Permission asked, Intent intent) {
        if (intent != Intent.Plain.YES && intent != Intent.Plain.NO) return;
        var run = opened.map(Opened::run)
                .filter(one -> Fleet.id(one).equals(asked.id()))
                .or(() -> fleet.find(asked.id()));
        if (!run.map(one -> one.path("question")).equals(Optional.of(asked.question()))) {
            said = asked.title() + " does not ask this any more; nothing was answered.";
            return;
        }
        var word = intent == Intent.Plain.YES ? "allow" : "deny";
        wishes.add(new Wish.Send(asked.id(), asked.title(), word, idOf(asked.question())));
    }

    private static String idOf(JsonNode question) {
        return question.path("id").asString("");
    }

    private void filter(LineEditor line, Intent intent) {
        if (intent instanceof Intent.Edit(Key key)) {
            prompt = new Prompt.Filter(line.on(key));
            line = line.on(key);
        }
        choose(new Fleet.Choice(choice.all(), choice.owner(), intent == Intent.Plain.BACK ? "" : line.text()));
    }
}
