package dev.roost.service;

import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.AttemptPreparation;
import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.engine.RuntimeContext;
import dev.roost.git.KeyedLocks;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Caller;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import dev.roost.output.OutputReader;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sends a message to a run: steers a live run, answers its question, or continues an ended run. */
final class MessageSender {

    private static final System.Logger LOG = System.getLogger(MessageSender.class.getName());

    private static final Set<String> YES = Set.of("allow", "approve", "yes", "y");
    private static final Set<String> NO = Set.of("deny", "no", "n");

    private final RuntimeContext context;
    private final AttemptSupervisor supervisor;
    private final OutputReader outputs;
    private final KeyedLocks<RunId> locks = new KeyedLocks<>();

    MessageSender(RuntimeContext context, AttemptSupervisor supervisor, OutputReader outputs) {
        this.context = context;
        this.supervisor = supervisor;
        this.outputs = outputs;
    }

    /** The sender of a message, and the key of the call: a repeated call sends nothing again. */
    record MessageOrigin(Caller caller, Optional<String> callKey) {}

    RunRecord send(RunRecord run, String text, MessageOrigin from) {
        var already = from.callKey().flatMap(context.ledger().messages()::findByCallKey);
        if (already.isPresent()) return already.get();
        new Task(List.of(), Optional.of(text)); // checks the limits of a prompt
        var now = run;
        if (now.latest().phase().equals(Optional.of(Phase.FINISHING))) now = outputs.awaitEnd(run.id());
        return switch (now.status()) {
            case QUEUED -> throw ErrorCode.NOT_STARTED.error("%s has not started yet.".formatted(now.title()));
            case RUNNING -> steer(now, text, from);
            case COMPLETED, COMPLETED_EMPTY, FAILED, CANCELED_BY_USER, ABANDONED -> continueRun(now, text, from);
        };
    }

    /** Whether the run accepts a message; a finishing run does if it can be continued after its end. */
    boolean acceptsMessages(RunRecord run) {
        if (run.latest().phase().equals(Optional.of(Phase.FINISHING))) return mayContinue(run);
        return switch (run.status()) {
            case QUEUED -> false;
            case RUNNING ->
                run.latest().asked().isPresent()
                        || Drivers.of(run.driver()).abilities().steer();
            case COMPLETED, COMPLETED_EMPTY, FAILED, CANCELED_BY_USER, ABANDONED -> mayContinue(run);
        };
    }

    private boolean mayContinue(RunRecord run) {
        return canContinue(run)
                && context.config()
                        .dailyBudget()
                        .exceededBy(run.owner(), context.ledger())
                        .isEmpty();
    }

    private RunRecord steer(RunRecord run, String text, MessageOrigin from) {
        var question = run.latest().asked().map(asked -> asked.question());
        Optional<SentMessage> posted;
        if (question.isPresent()) {
            posted = answer(run, question.get(), text, from);
        } else {
            if (!Drivers.of(run.driver()).abilities().steer()) {
                throw ErrorCode.CANNOT_STEER.error(
                        "The agent \"%s\" accepts no messages while it works.".formatted(run.agent()));
            }
            posted = post(run, SentMessage.MessageKind.WORDS, Optional.empty(), text, from);
        }
        if (posted.isEmpty()) return send(reload(run), text, from); // the run ended meanwhile
        supervisor.messagesArrived(run.id());
        return reload(run);
    }

    private RunRecord reload(RunRecord run) {
        return context.ledger()
                .runs()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    private Optional<SentMessage> answer(RunRecord run, Question question, String text, MessageOrigin from) {
        var id = Optional.of(question.id());
        if (question.kind() == Question.Kind.INPUT) return post(run, SentMessage.MessageKind.ANSWER, id, text, from);
        var words = text.strip().split("\\s+", 2);
        var first = words[0].toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        var rest = words.length > 1 ? words[1] : "";
        if (NO.contains(first))
            return post(run, SentMessage.MessageKind.DENY, id, rest.isEmpty() ? "Denied by the user." : rest, from);
        if (!YES.contains(first)) {
            throw ErrorCode.BAD_ANSWER.error("%s asks for permission (%s); \"%s\" is neither yes nor no."
                    .formatted(run.title(), question.text(), words[0]));
        }
        if (!from.caller().operator() && !context.config().questionPolicy().parentMayApprove()) {
            throw ErrorCode.PERSON_REQUIRED.error(
                    "%s asks for permission (%s), which a person must give.".formatted(run.title(), question.text()),
                    "Ask the user to run: roost send %s allow. You may deny it.".formatted(run.id()));
        }
        return post(run, SentMessage.MessageKind.ALLOW, id, rest, from);
    }

    private Optional<SentMessage> post(
            RunRecord run, SentMessage.MessageKind kind, Optional<String> question, String text, MessageOrigin from) {
        var messageText = new MessageStore.MessageText(text, from.caller().asActor(), from.callKey());
        return context.ledger().messages().post(run.id(), run.latest().n(), kind, question, messageText);
    }

    /** Continues runs that got a message after their final report, so that the next turn gets it. */
    void continueWithLateMessages() {
        for (var run : context.ledger().messages().runsWithLateMessages()) {
            try {
                if (canContinue(run))
                    continueRun(
                            run, Optional.empty(), new MessageOrigin(new Caller(run.owner(), false), Optional.empty()));
            } catch (RuntimeException e) { // a failure must not keep other runs waiting
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "could not continue %s with its late messages".formatted(run.id()),
                        e);
            }
        }
    }

    private static boolean canContinue(RunRecord run) {
        return Drivers.of(run.driver()).abilities().resume() && run.sessionId().isPresent();
    }

    /** The messages that the latest attempt did not get, followed by {@code text}. */
    private String prependLateMessages(RunRecord run, Optional<String> text) {
        var late = context.ledger().messages().of(run.id(), run.latest().n()).stream()
                .filter(message -> !message.delivered() && message.kind() == SentMessage.MessageKind.WORDS)
                .map(SentMessage::body);
        return Stream.concat(late, text.stream()).collect(Collectors.joining("\n\n"));
    }

    private RunRecord continueRun(RunRecord run, String text, MessageOrigin from) {
        if (!canContinue(run)) {
            throw ErrorCode.CANNOT_CONTINUE.error(
                    run.sessionId().isEmpty()
                                    && Drivers.of(run.driver()).abilities().resume()
                            ? "%s ended before its conversation began, so there is none to continue."
                                    .formatted(run.title())
                            : "The agent \"%s\" keeps no conversation that could be continued.".formatted(run.agent()));
        }
        return continueRun(run, Optional.of(text), from) ? reload(run) : send(reload(run), text, from);
    }

    /** Locks the run on this node, so that no message continues it. */
    KeyedLocks.KeyLock lockRun(RunId run) {
        return locks.lock(run);
    }

    /** False if another call continued the run first. */
    private boolean continueRun(RunRecord run, Optional<String> text, MessageOrigin from) {
        context.config().dailyBudget().refuseMore(run.owner(), context.ledger());
        if (!outputs.awaitFinalized(run.id())) {
            var node = run.latest().node().orElse("");
            if (!context.membership().isAlive(node))
                throw ErrorCode.NODE_AWAY.error(
                        "The last lines of %s are on node %s, which does not answer.".formatted(run.id(), node));
            throw ErrorCode.HOME_UNWRITABLE.error(
                    "output.md of %s still lacks its last lines.".formatted(run.id()),
                    "Check the disk, and try again.");
        }
        try (var _ = lockRun(run.id())) {
            if (reload(run).latest().n() != run.latest().n()) return false;
            try {
                context.output().fetch(run);
                AttemptPreparation.prepareNext(context, run, run.latest().progress(), prependLateMessages(run, text));
                var directory = context.home().run(run.id());
                var position = new StreamPosition(
                        0, PrivateFiles.size(directory.output()), PrivateFiles.size(directory.transcript()));
                var next = context.ledger()
                        .continueAfter(run.id(), run.latest().n(), from.caller().asActor(), from.callKey(), position);
                context.orders().discard(run.id(), run.latest().n() + 1);
                if (next.isEmpty()) return false;
            } catch (IOException e) {
                throw ErrorCode.HOME_UNWRITABLE.error(
                        "The message could not be written: %s.".formatted(e.getMessage()),
                        "Check the disk; nothing was started.");
            }
        }
        supervisor.claimQueuedAsync();
        return true;
    }
}
