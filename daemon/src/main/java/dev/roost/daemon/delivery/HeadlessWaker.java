package dev.roost.daemon.delivery;

import dev.roost.agents.Programs;
import dev.roost.base.Clock;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.EventKind;
import dev.roost.model.OwnerSession;
import dev.roost.model.ProcessId;
import dev.roost.model.SessionEvent;
import dev.roost.os.Processes;
import dev.roost.os.SessionDetach;
import dev.roost.service.RoostService;
import dev.roost.sessions.NoticeDigest;
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

/** Continues ended sessions: starts their harness with the digest as its prompt, in a process session of its own. */
public final class HeadlessWaker {

    private static final System.Logger LOG = System.getLogger(HeadlessWaker.class.getName());

    private final RoostService service;
    private final Home home;
    private final OwnerEnvironments environments;
    private final Clock clock;
    private final Set<ProcessId> started = ConcurrentHashMap.newKeySet();

    public HeadlessWaker(RoostService service, Home home, OwnerEnvironments environments, Clock clock) {
        this.service = service;
        this.home = home;
        this.environments = environments;
        this.clock = clock;
        new ExpiredFiles(home.logs(), "headless-*.log").remove(clock.now().minus(ExpiredFiles.KEPT));
    }

    /** Whether this class started the harness; then its session is continued and does not begin. */
    public boolean hasStarted(OwnerSession.HarnessProcess harness) {
        return !started.isEmpty()
                && Processes.ancestors(harness.id().pid()).stream().anyMatch(started::contains);
    }

    /** Continues the session; false if that is not possible. */
    public boolean wake(OwnerSession session, NoticeOffer offer) {
        var environment = environments.of(session.owner());
        var resume = ResumeCommandLine.of(session);
        var cwd = session.home().map(Path::of).filter(Files::isDirectory);
        if (environment.isEmpty() || resume.isEmpty() || cwd.isEmpty()) return false;
        var program = Programs.find(resume.get().program(), cwd.get(), environment.get());
        if (program.isEmpty()) return false;
        var command = new ArrayList<>(List.of(program.get().toString()));
        command.addAll(resume.get().words().subList(1, resume.get().words().size()));
        try {
            run(session, offer, command, cwd.get(), environment.get());
            return true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s could not be continued".formatted(session.owner()), e);
            return false;
        }
    }

    private void run(
            OwnerSession session, NoticeOffer offer, List<String> command, Path cwd, Map<String, String> environment)
            throws IOException {
        var log = home.logs()
                .resolve("headless-%s-%d.log"
                        .formatted(session.owner().id().replaceAll("[^A-Za-z0-9_-]", "-"), offer.turn()));
        PrivateFiles.open(log, StandardOpenOption.CREATE).close(); // private to the user, whatever the umask
        var builder = new ProcessBuilder(command)
                .directory(cwd.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put("ROOST_HOME", home.root().toString()); // its hooks report to this home
        SessionDetach.inOwnSession(builder);
        var began = clock.now();
        var process = builder.start();
        var id = Processes.ancestors(process.pid()).stream().findFirst();
        id.ifPresent(started::add);
        var _ = process.onExit().thenRun(() -> id.ifPresent(started::remove));
        try (var in = process.getOutputStream()) {
            in.write(NoticeDigest.of(offer, List.of(), clock.now()).getBytes(StandardCharsets.UTF_8));
            in.flush();
            service.sessions()
                    .markDelivered(offer); // before its input ends, hence before it reports any event of this turn
            var _ = process.onExit().thenAccept(ended -> processEnded(session, offer, began, ended.exitValue(), log));
        }
    }

    /** Records the session's end if the harness did not report it, unless its user has continued the session meanwhile. */
    private void processEnded(OwnerSession session, NoticeOffer offer, Instant began, int status, Path log) {
        try {
            if (status != 0) {
                for (var notice : offer.notices())
                    notice.ofRun()
                            .ifPresent(one -> service.note(
                                    one.run(),
                                    EventKind.WAKE,
                                    "its harness ended with exit status %d: %s".formatted(status, log)));
            }
            boolean reported = service.sessions()
                    .find(session.owner())
                    .filter(now -> now.state() == OwnerSession.SessionState.BUSY
                            || now.state() == OwnerSession.SessionState.IDLE)
                    .filter(now ->
                            now.promptedAt().filter(at -> at.isAfter(began)).isEmpty())
                    .isEmpty();
            if (reported) return;
            service.sessions()
                    .record(new SessionReport(
                            session.owner(),
                            session.harness(),
                            Optional.empty(),
                            Optional.empty(),
                            new SessionEvent.SessionEnded()));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "the end of a continued session could not be recorded", e);
        }
    }
}
