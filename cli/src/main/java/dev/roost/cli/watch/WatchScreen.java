package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.KeyDecoder;
import dev.roost.cli.terminal.Terminal;
import dev.roost.cli.terminal.TerminalSize;
import dev.roost.cli.view.RunSummary;
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
public final class WatchScreen {

    private static final long A_TICK = 1000; // ages go on
    private static final long REST_OF_AN_ESCAPE = 100; // as slow as a bad line may be

    private final BlockingQueue<Runnable> news = new LinkedBlockingQueue<>();
    private final KeyDecoder decoder = new KeyDecoder();
    private final LastOutputLines lastOutputLines = new LastOutputLines();
    private final Invocation invocation;
    private final WatchModel model;
    private final RunListFeed fleet;
    private @Nullable OutputFeed output;
    private boolean closed;

    private WatchScreen(Invocation invocation, Optional<String> owner, boolean all) {
        this.invocation = invocation;
        this.model = new WatchModel(new RunList.RunFilter(all, Optional.empty(), ""));
        this.fleet = new RunListFeed(invocation, owner, all, new RunListFeed.Reader() {
            @Override
            public void listed(Collection<JsonNode> runs, boolean someLeftOff) {
                news.add(() -> model.listed(runs, someLeftOff));
            }

            @Override
            public void changed(Collection<JsonNode> runs, Collection<String> removed) {
                news.add(() -> model.changed(runs, removed));
            }

            @Override
            public void gone() {
                news.add(model::daemonLost);
            }
        });
    }

    /** False, and nothing was done, where there is no terminal to show it on. */
    public static boolean show(Invocation invocation, Optional<String> owner, boolean all) {
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
            news.add(() -> decoder.keys(bytes).forEach(model::press));
        }

        @Override
        public void resized(TerminalSize size) {
            news.add(() -> {}); // it is measured before each painting
        }

        @Override
        public void gone() {
            news.add(() -> closed = true);
        }
    }

    private void loop(Terminal terminal) {
        while (!closed && !System.out.checkError()) {
            model.resized(terminal.size());
            model.lastLines(lastOutputLines.of(model.visible()));
            terminal.paint(WatchView.lines(model));
            await();
            for (var order = model.nextCommand(); order.isPresent(); order = model.nextCommand())
                execute(order.get(), terminal);
        }
    }

    /** Everything that is there is taken before the next painting. */
    private void await() {
        try {
            var first = news.poll(decoder.waits() ? REST_OF_AN_ESCAPE : A_TICK, TimeUnit.MILLISECONDS);
            if (first == null) decoder.giveUp().forEach(model::press);
            for (var next = first; next != null; next = news.poll()) next.run();
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private void execute(WatchCommand command, Terminal terminal) {
        switch (command) {
            case WatchCommand.Stop(var id, var title) -> {
                model.setStatusMessage("Stopping " + title + " …");
                callAsync("stop", runParams(id), run -> model.setStatusMessage(title + ": " + RunSummary.state(run)));
            }
            case WatchCommand.Send(var id, var title, var message, var question) -> {
                model.setStatusMessage("Telling " + title + " …");
                var params = InteractiveUser.origin(invocation, runParams(id).put("message", message));
                if (!question.isEmpty()) params.put("question", question);
                callAsync("send", params, run -> model.setStatusMessage("Told " + title + "."));
            }
            case WatchCommand.RefreshRun(var id) -> callAsync("show", runParams(id), model::runLoaded);
            case WatchCommand.Follow follow -> follow(follow);
            case WatchCommand.SimpleCommand plain -> {
                switch (plain) {
                    case UNFOLLOW -> unfollow();
                    case LIST_ALL -> fleet.all();
                    case REPAINT -> terminal.forget();
                    case QUIT -> closed = true;
                    case SUSPEND -> suspend(terminal);
                }
            }
        }
    }

    private static ObjectNode runParams(String run) {
        return ClientCommand.params().put("run_id", run);
    }

    private void suspend(Terminal terminal) {
        try {
            terminal.suspend();
        } catch (IOException e) {
            closed = true;
        }
    }

    /** Beside the loop: a stop may take its time. Never twice, and never by a daemon that this would have to start. */
    private void callAsync(String method, ObjectNode params, Consumer<JsonNode> then) {
        Thread.ofPlatform().daemon().start(() -> {
            try (var client = DaemonClient.of(invocation)) {
                var answer = client.callIfRunning(method, params);
                news.add(() -> answer.ifPresentOrElse(
                        then,
                        () -> model.setStatusMessage(
                                "The daemon is gone; whether that was done, is seen when it is back.")));
            } catch (CliError e) {
                news.add(() -> model.setStatusMessage(e.sentence()));
            }
        });
    }

    private void follow(WatchCommand.Follow wish) {
        unfollow();
        var feed = new OutputFeed(invocation, wish, new OutputFeed.Reader() {
            @Override
            public void said(JsonNode said, boolean fromTheMiddle) {
                news.add(() -> model.output(wish.id(), said, fromTheMiddle));
            }

            @Override
            public void failed(CliError error) {
                news.add(() -> model.setStatusMessage(error.sentence()));
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
