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
import dev.roost.cli.view.RunEntry;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ps --watch} on a terminal: an event loop that takes keys and updates, paints, and runs the model's commands. */
public final class WatchScreen {

    private static final long TICK_MILLIS = 1000; // refreshes ages
    private static final long ESCAPE_MILLIS = 100; // timeout of an escape sequence on a slow line

    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
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
        this.fleet = new RunListFeed(invocation, owner, all, this::update);
    }

    private void update(Consumer<WatchModel> change) {
        events.add(() -> change.accept(model));
    }

    /** False, without any effect, if there is no usable terminal. */
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
            events.add(() -> decoder.keys(bytes).forEach(model::press));
        }

        @Override
        public void resized(TerminalSize size) {
            events.add(() -> {}); // the loop reads the size before each paint
        }

        @Override
        public void gone() {
            events.add(() -> closed = true);
        }
    }

    private void loop(Terminal terminal) {
        while (!closed && !System.out.checkError()) {
            model.resized(terminal.size());
            model.lastLines(lastOutputLines.of(model.visible()));
            terminal.paint(WatchView.lines(model));
            await();
            for (var next = model.nextCommand(); next.isPresent(); next = model.nextCommand())
                execute(next.get(), terminal);
        }
    }

    /** Waits for an event and handles all queued ones before the next paint. */
    private void await() {
        try {
            var first = events.poll(decoder.waits() ? ESCAPE_MILLIS : TICK_MILLIS, TimeUnit.MILLISECONDS);
            if (first == null) decoder.giveUp().forEach(model::press);
            for (var next = first; next != null; next = events.poll()) next.run();
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private void execute(WatchCommand command, Terminal terminal) {
        switch (command) {
            case WatchCommand.Stop(var id, var title) -> {
                model.setStatusMessage("Stopping " + title + " …");
                callAsync(
                        "stop",
                        runParams(id),
                        run -> model.setStatusMessage(
                                title + ": " + RunEntry.of(run).state()));
            }
            case WatchCommand.Send(var id, var title, var message, var question) -> {
                model.setStatusMessage("Sending to " + title + " …");
                var params = InteractiveUser.origin(invocation, runParams(id).put("message", message));
                if (!question.isEmpty()) params.put("question", question);
                callAsync("send", params, run -> model.setStatusMessage("Sent to " + title + "."));
            }
            case WatchCommand.RefreshRun(var id) -> callAsync("show", runParams(id), model::runLoaded);
            case WatchCommand.Follow follow -> {
                unfollow();
                var feed = new OutputFeed(invocation, follow, this::update);
                output = feed;
                feed.start();
            }
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

    /** Calls on a thread of its own, since a stop may be slow. No retry, and starts no daemon. */
    private void callAsync(String method, ObjectNode params, Consumer<JsonNode> then) {
        Thread.ofPlatform().daemon().start(() -> {
            try (var client = DaemonClient.of(invocation)) {
                var answer = client.callIfRunning(method, params);
                update(_ -> answer.ifPresentOrElse(
                        then,
                        () -> model.setStatusMessage(
                                "The daemon is gone; the list will show whether this took effect.")));
            } catch (CliError e) {
                update(_ -> model.setStatusMessage(e.sentence()));
            }
        });
    }

    private void unfollow() {
        if (output != null) output.close();
        output = null;
    }
}
