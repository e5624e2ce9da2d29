package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Environment;
import dev.roost.agents.Job;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.Budget;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Usage;
import dev.roost.run.Words;
import dev.roost.supervisor.RunDirectory;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Takes a run in: looks whether it may be, makes its files, and writes it down. */
record Accepting(Rooms rooms, Attempts attempts, Projects projects) {

    private static final System.Logger LOG = System.getLogger(Accepting.class.getName());

    /** Accepts a run. When this returns the run is durable, and its output file is there. */
    Run start(StartRequest request) {
        var again = request.terms().callKey().flatMap(rooms.ledger().runs()::startedBy);
        if (again.isPresent()) return again.get();
        var agents = Agents.in(request.cwd(), rooms.config(), projects);
        var agent = agents.named(request.agent());
        var driver = Drivers.of(agent.profile().driver());
        boolean command = driver.name().equals("command");
        request.name().ifPresent(Words::name);
        if (request.resumeOnLoss().orElse(false) && !driver.abilities().resume()) {
            throw new Refused(
                    "cannot_resume",
                    "The agent \"%s\" cannot resume, so on_loss=resume is not possible.".formatted(request.agent()),
                    "Omit on_loss, or pass report.");
        }
        if (!rooms.peers().reach(request.cwd())) {
            throw new BadInput(
                    "no_such_directory",
                    "There is no directory \"%s\"."
                            .formatted(Words.printable(request.cwd().toString())),
                    "Pass an existing directory, as an absolute path.");
        }
        var tags = tags(agent, request.terms().on());
        var environment = Environment.filtered(request.environment());
        var launcher = request.terms().launcher();
        if (launcher.isEmpty() && !rooms.peers().any())
            driver.check(agent.profile(), request.task(), request.cwd(), environment);
        rooms.config().day().refuseMore(request.owner(), rooms.ledger());

        var parent = inside(request.origin());
        int depth = parent.map(Run::depth).orElse(0) + 1;
        if (depth > rooms.config().maxDepth()) {
            throw new Refused(
                    "too_deep",
                    "This is inside run %s, and a run may not start runs %s."
                            .formatted(
                                    parent.map(run -> run.id().text()).orElse("?"),
                                    depth == 2 ? "of its own" : "this deep"),
                    "Do the work here, or let the parent session start it; max_depth in config.toml is %d."
                            .formatted(rooms.config().maxDepth()));
        }
        var id = RunId.create(rooms.clock().now());
        var directory = rooms.home().run(id);
        boolean worktree = request.terms().worktree();
        var source = new Sources(rooms.peers(), rooms.keeping().git(request.environment())).of(request.cwd(), worktree);
        // among several nodes, the one that begins it finds a place for it
        var placed = worktree && !rooms.peers().any()
                ? Optional.of(rooms.keeping().place(id, request.cwd()))
                : Optional.<Keeping.Placed>empty();
        var cwd = placed.map(Keeping.Placed::cwd).orElse(request.cwd());
        var job = new Job(
                agent.profile().behind(launcher),
                command ? request.task() : request.task().asPrompt(),
                cwd,
                directory.attempt(1).prompt(),
                request.budget()
                        .orElse(agent.budget())
                        .orElse(Budget.ofOutput(rooms.config().maxOutput()))
                        .atMost(agents.project().caps()),
                Optional.empty(),
                Usage.NONE,
                placed.isPresent());
        var run = new NewRun(
                id,
                request.name(),
                request.owner(),
                request.agent(),
                driver.name(),
                job.profile().json(),
                request.description().orElseGet(() -> describe(request)),
                cwd,
                job.budget(),
                request.resumeOnLoss().orElse(driver.abilities().resume()),
                depth,
                parent.map(Run::id),
                request.terms().tell(),
                request.terms().callKey(),
                placed.map(Keeping.Placed::place));
        var wish = new Wish(
                request.agent(),
                job.task(),
                request.cwd(),
                environment,
                request.umask(),
                Optional.empty(),
                worktree,
                rooms.peers().self(),
                tags,
                source,
                Optional.empty());
        var caps = rooms.peers().caps(rooms.config().caps());
        var bound = request.terms().maxLive().map(caps::refusingMoreThan).orElse(caps);
        var accepted = accept(id, () -> {
            if (rooms.peers().any()) rooms.peers().order(id, 1, wish);
            else Jobs.prepare(rooms, directory.attempt(1), job, environment, request.umask());
            return rooms.ledger().submit(run, bound);
        });
        attempts.fillSoon();
        return accepted;
    }

    /** Those of the agent, and those that are asked for. */
    private Set<String> tags(Config.NamedAgent agent, List<String> asked) {
        var tags = new TreeSet<>(agent.on());
        for (var tag : asked) {
            if (!Wish.isTag(tag)) {
                throw new BadInput(
                        "bad_tag",
                        "\"%s\" cannot be a tag.".formatted(Words.printable(tag)),
                        "Pass one that nodes have; roost node list shows them.");
            }
            tags.add(tag);
        }
        if (tags.isEmpty() || rooms.peers().any()) return tags;
        throw new Refused(
                "no_cluster",
                "This home is alone, so there is no machine with the tag %s to run it on."
                        .formatted(String.join(" and ", tags)),
                "Omit it, or take part in a cluster: docs/cluster.md.");
    }

    private static String describe(StartRequest request) {
        return Words.printable(request.task()
                .prompt()
                .orElseGet(() -> String.join(" ", request.task().argv())));
    }

    /** Writes a run's files, and then its row; the run of that row. */
    interface Writing {
        Run write() throws IOException;
    }

    /** Files first, then the row: a crash in between leaves a directory without a row, which the next start removes. */
    Run accept(RunId id, Writing writing) {
        var directory = rooms.home().run(id);
        try {
            rooms.home().accepting().begin(id);
            directory.create();
            var accepted = writing.write();
            if (!accepted.id().equals(id)) directory.delete(); // the same call came twice at once
            noLongerAccepting(id);
            return accepted;
        } catch (IOException | RuntimeException e) {
            if (discard(directory, e)) noLongerAccepting(id);
            if (e instanceof RuntimeException known) throw known;
            throw new Broken(
                    "home_unwritable",
                    "The run could not be written to %s: %s.".formatted(directory.path(), e.getMessage()),
                    "Check the disk; nothing was started.");
        } finally {
            rooms.peers().dropped(id, 1);
        }
    }

    private void noLongerAccepting(RunId run) {
        try {
            rooms.home().accepting().done(run);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the next start looks at " + run, e);
        }
    }

    private static boolean discard(RunDirectory directory, Exception because) {
        try {
            directory.delete();
            return true;
        } catch (IOException e) {
            because.addSuppressed(e);
            return false;
        }
    }

    /** The run from inside which this is asked: by the cookie it was given, or by where the asking process comes from. */
    Optional<Run> inside(StartRequest.Origin origin) {
        var byCookie =
                origin.runId().flatMap(RunId::parse).flatMap(rooms.ledger().runs()::find);
        return byCookie.isPresent() ? byCookie : origin.pid().flatMap(attempts::holderOf);
    }
}
