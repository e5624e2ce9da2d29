package dev.roost.cli;

import dev.roost.cli.terminal.KeyDecoder;
import dev.roost.cli.terminal.Size;
import dev.roost.cli.terminal.Terminal;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ps --watch} on a terminal: takes keys and news one after the other, paints, and does what the board wishes. */
final class WatchScreen {

    private static final long A_TICK = 1000; // ages go on
    private static final long REST_OF_AN_ESCAPE = 100; // as slow as a bad line may be

    private final BlockingQueue<Runnable> news = new LinkedBlockingQueue<>();
    private final KeyDecoder decoder = new KeyDecoder();
    private final LastLines lastLines = new LastLines();
    private final Invocation invocation;
    private final Board board;
    private final FleetFeed fleet;
    private @Nullable OutputFeed output;
    private boolean over;

    private WatchScreen(Invocation invocation, Optional<String> owner, boolean all) {
        this.invocation = invocation;
        this.board = new Board(new Fleet.Choice(all, Optional.empty(), ""));
        this.fleet = new FleetFeed(invocation, owner, all, new FleetFeed.Reader() {
            @Override
            public void listed(Collection<JsonNode> runs, boolean someLeftOff) {
                news.add(() -> board.listed(runs, someLeftOff));
            }

            @Override
            public void changed(Collection<JsonNode> runs, Collection<String> removed) {
                news.add(() -> board.changed(runs, removed));
            }

            @Override
            public void gone() {
                news.add(board::lost);
            }
        });
    }

    /** False, and nothing was done, where there is no terminal to show it on. */
    static boolean show(Invocation invocation, Optional<String> owner, boolean all) {
        if (!Style.TERMINAL || invocation.variable("TERM").equals(Optional.of("dumb"))) return false;
        var screen = new WatchScreen(invocation, owner, all);
        var terminal = Terminal.open(System.out, screen.new Keys());
        if (terminal.isEmpty()) return false;
        try (var open = terminal.get();
                var _ = screen.fleet) {
            screen.fleet.start();
            screen.loop(open);
        } finally {
            screen.unfollow();
        }
        return true;
    }

    private final class Keys implements Terminal.Listener {
        @Override
        public void typed(byte[] bytes) {
            news.add(() -> decoder.keys(bytes).forEach(board::press));
        }

        @Override
        public void resized(Size size) {
            news.add(() -> {}); // it is measured before each painting
        }

        @Override
        public void gone() {
            news.add(() -> over = true);
        }
    }

    private void loop(Terminal terminal) {
        while (!over && !System.out.checkError()) {
            board.resized(terminal.size());
            board.lastLines(lastLines.of(board.visible()));
            terminal.paint(Pages.lines(board));
            await();
            for (var wish = board.nextWish(); wish.isPresent(); wish = board.nextWish()) grant(wish.get(), terminal);
        }
    }

    /** Everything that is there is taken before the next painting. */
    private void await() {
        try {
            var first = news.poll(decoder.waits() ? REST_OF_AN_ESCAPE : A_TICK, TimeUnit.MILLISECONDS);
            if (first == null) decoder.giveUp().forEach(board::press);
            for (var next = first; next != null; next = news.poll()) next.run();
        } catch (InterruptedException e) {
            over = true;
        }
    }

    private void grant(Wish wish, Terminal terminal) {
        switch (wish) {
            case Wish.Stop(var id, var title) -> {
                board.say("Stopping " + title + " …");
                ask("stop", about(id), run -> board.say(title + ": " + Summary.state(run)));
            }
            case Wish.Send(var id, var title, var message, var question) -> {
                board.say("Telling " + title + " …");
                var params = Person.origin(invocation, about(id).put("message", message));
                if (!question.isEmpty()) params.put("question", question);
                ask("send", params, run -> board.say("Told " + title + "."));
            }
            case Wish.Look(var id) -> ask("show", about(id), board::looked);
            case Wish.Follow follow -> follow(follow);
            case Wish.Plain plain -> {
                switch (plain) {
                    case UNFOLLOW -> unfollow();
                    case LIST_ALL -> fleet.all();
                    case REPAINT -> terminal.forget();
                    case QUIT -> over = true;
                    case SUSPEND -> suspend(terminal);
                }
            }
        }
    }

    private static ObjectNode about(String run) {
        return Common.params().put("run_id", run);
    }

    private void suspend(Terminal terminal) {
        try {
            terminal.suspend();
        } catch (IOException e) {
            over = true;
        }
    }

    /** Beside the loop: a stop may take its time. Never twice, and never by a daemon that this would have to start. */
    private void ask(String method, ObjectNode params, Consumer<JsonNode> then) {
        Thread.ofPlatform().daemon().start(() -> {
            try (var client = Client.of(invocation)) {
                var answer = client.askIfRunning(method, params);
                news.add(() -> answer.ifPresentOrElse(
                        then, () -> board.say("The daemon is gone; whether that was done, is seen when it is back.")));
            } catch (CliError e) {
                news.add(() -> board.say(e.sentence()));
            }
        });
    }

    private void follow(Wish.Follow wish) {
        unfollow();
        var feed = new OutputFeed(invocation, wish, new OutputFeed.Reader() {
            @Override
            public void said(JsonNode said, boolean fromTheMiddle) {
                news.add(() -> board.output(wish.id(), said, fromTheMiddle));
            }

            @Override
            public void failed(CliError error) {
                news.add(() -> board.say(error.sentence()));
            }
        });
        output = feed;
        feed.start();
    }

    private void unfollow() {
        if (output != null) output.close();
        output = null;
    }
}
