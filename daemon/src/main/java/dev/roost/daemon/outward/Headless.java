package dev.roost.daemon.outward;

import dev.roost.agents.Programs;
import dev.roost.house.House;
import dev.roost.ledger.Offer;
import dev.roost.ledger.Report;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import dev.roost.run.ProcessId;
import dev.roost.sessions.Digest;
import dev.roost.supervisor.Detach;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.PrivateFiles;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Continues sessions that have ended: starts their harness with the digest as its prompt, in a session of its own. */
public final class Headless {

    private static final System.Logger LOG = System.getLogger(Headless.class.getName());

    private final House house;
    private final Home home;
    private final OwnerEnvironments environments;
    private final Clock clock;
    private final Set<ProcessId> started = ConcurrentHashMap.newKeySet();

    public Headless(House house, Home home, OwnerEnvironments environments, Clock clock) {
        this.house = house;
        this.home = home;
        this.environments = environments;
        this.clock = clock;
        new OldFiles(home.logs(), "headless-*.log").remove(clock.now().minus(OldFiles.KEPT));
    }

    /** Whether this harness is one that we have started: then its session does not begin, it goes on. */
    public boolean hasStarted(Parent.Harness harness) {
        return !started.isEmpty()
                && Processes.ancestors(harness.id().pid()).stream().anyMatch(started::contains);
    }

    /** False if there is no way to continue it. */
    public boolean wake(Parent parent, Offer offer) {
        var environment = environments.of(parent.owner());
        var resumption = Resumption.of(parent);
        var cwd = parent.home().map(Path::of).filter(Files::isDirectory);
        if (environment.isEmpty() || resumption.isEmpty() || cwd.isEmpty()) return false;
        var program = Programs.find(resumption.get().program(), cwd.get(), environment.get());
        if (program.isEmpty()) return false;
        var words = new ArrayList<>(List.of(program.get().toString()));
        words.addAll(
                resumption.get().words().subList(1, resumption.get().words().size()));
        try {
            run(parent, offer, words, cwd.get(), environment.get());
            return true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s could not be continued".formatted(parent.owner()), e);
            return false;
        }
    }

    private void run(Parent parent, Offer offer, List<String> words, Path cwd, Map<String, String> environment)
            throws IOException {
        var log = home.logs()
                .resolve("headless-%s-%d.log"
                        .formatted(parent.owner().id().replaceAll("[^A-Za-z0-9_-]", "-"), offer.turn()));
        PrivateFiles.open(log, StandardOpenOption.CREATE).close(); // whatever umask we have, it is for its user alone
        var builder = new ProcessBuilder(words)
                .directory(cwd.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put("ROOST_HOME", home.root().toString()); // its hooks report to us
        Detach.inOwnSession(builder);
        var began = clock.now();
        var process = builder.start();
        var id = Processes.ancestors(process.pid()).stream().findFirst();
        id.ifPresent(started::add);
        var _ = process.onExit().thenRun(() -> id.ifPresent(started::remove));
        try (var in = process.getOutputStream()) {
            in.write(Digest.of(offer, List.of(), clock.now()).getBytes(StandardCharsets.UTF_8));
            in.flush();
            house.sessions()
                    .wasOffered(
                            offer); // before it knows where its prompt ends, so before it reports anything of this turn
            var _ = process.onExit().thenAccept(ended -> over(parent, offer, began, ended.exitValue(), log));
        }
    }

    /** One that could not tell its end is over all the same, unless somebody has taken up the session meanwhile. */
    private void over(Parent parent, Offer offer, Instant began, int status, Path log) {
        try {
            if (status != 0) {
                for (var notice : offer.notices())
                    notice.ofRun()
                            .ifPresent(one -> house.note(
                                    one.run(),
                                    EventKind.WAKE,
                                    "its harness ended with exit status %d: %s".formatted(status, log)));
            }
            boolean told = house.sessions()
                    .find(parent.owner())
                    .filter(now -> now.state() == Parent.State.BUSY || now.state() == Parent.State.IDLE)
                    .filter(now ->
                            now.promptedAt().filter(at -> at.isAfter(began)).isEmpty())
                    .isEmpty();
            if (told) return;
            house.sessions()
                    .hear(new Report(
                            parent.owner(),
                            parent.harness(),
                            Optional.empty(),
                            Optional.empty(),
                            new ParentEvent.Ended()));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "nobody is there to hear of it any more", e);
        }
    }
}
