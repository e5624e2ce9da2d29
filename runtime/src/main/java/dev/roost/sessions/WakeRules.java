package dev.roost.sessions;

import dev.roost.config.WakePolicy;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.OwnerSession;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Decides whether an owner session may be woken. A condition that cannot be observed counts against waking. */
public record WakeRules(WakePolicy policy) {

    /** The rules that forbid waking a session, with the text for the timeline. */
    public enum Rule {
        NOTHING_NEW("it has no notice that was not offered yet"),
        POLICY_OFF("its wake policy is off"),
        NOT_IDLE("its last turn has not reported its end"),
        ENDED("it has ended, and its wake policy is not headless"),
        HARNESS_GONE("its harness is no longer running"),
        QUIET("its user has just submitted a prompt"),
        INTERRUPTED("its user interrupted it since the run was started"),
        LIMIT("it has reached the limit of turns without a prompt of its user"),
        OWN_DOING("its user has stopped the run"),
        ONLY_A_PAUSE("a pause report alone can wait for its next turn"),
        NO_WAY("its harness offers no way to wake it");

        private final String words;

        Rule(String words) {
            this.words = words;
        }

        public String inWords() {
            return words;
        }
    }

    /** The rule that forbids waking the session now, if any. {@code harnessLives}: false only if the harness is seen dead. */
    public Optional<Rule> against(
            OwnerSession session, List<NoticeRecord> undelivered, boolean harnessLives, Instant now) {
        if (undelivered.isEmpty()) return Optional.of(Rule.NOTHING_NEW);
        if (policy.mode() == WakePolicy.Mode.OFF) return Optional.of(Rule.POLICY_OFF);
        var state = switch (session.state()) {
            case BUSY, UNKNOWN -> Optional.of(Rule.NOT_IDLE);
            case ENDED -> policy.mode() == WakePolicy.Mode.HEADLESS ? Optional.<Rule>empty() : Optional.of(Rule.ENDED);
            case IDLE -> harnessLives ? Optional.<Rule>empty() : Optional.of(Rule.HARNESS_GONE);
        };
        if (state.isPresent()) return state;
        if (session.promptedAt()
                .filter(at -> at.plus(policy.quiet()).isAfter(now))
                .isPresent()) return Optional.of(Rule.QUIET);
        return againstAnotherTurn(session, undelivered);
    }

    /** The rule that forbids continuing or starting a turn, if any, whatever the session's state. */
    public Optional<Rule> againstAnotherTurn(OwnerSession session, List<NoticeRecord> undelivered) {
        if (policy.mode() == WakePolicy.Mode.OFF) return Optional.of(Rule.POLICY_OFF);
        if (session.wakes() >= policy.limit()) return Optional.of(Rule.LIMIT);
        var ofRuns =
                undelivered.stream().flatMap(notice -> notice.ofRun().stream()).toList();
        if (ofRuns.isEmpty()) return Optional.of(Rule.ONLY_A_PAUSE);
        var unexpected =
                ofRuns.stream().filter(notice -> !wasStoppedByUser(notice)).toList();
        if (unexpected.isEmpty()) return Optional.of(Rule.OWN_DOING);
        boolean wanted = unexpected.stream().anyMatch(notice -> !interruptedSince(session, notice));
        return wanted ? Optional.empty() : Optional.of(Rule.INTERRUPTED);
    }

    private static boolean wasStoppedByUser(NoticeRecord.RunNotice notice) {
        return notice.attempt().status() == Status.CANCELED_BY_USER;
    }

    private static boolean interruptedSince(OwnerSession session, NoticeRecord.RunNotice notice) {
        return session.interruptedAt()
                .filter(at -> !at.isBefore(notice.run().createdAt()))
                .isPresent();
    }
}
