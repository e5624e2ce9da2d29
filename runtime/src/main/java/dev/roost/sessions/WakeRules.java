package dev.roost.sessions;

import dev.roost.config.WakePolicy;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.OwnerSession;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Whether a parent session may be woken: only where that surprises nobody. What cannot be observed counts against it. */
public record WakeRules(WakePolicy policy) {

    /** The rule that keeps a session from being woken, as an event says it. */
    public enum Rule {
        NOTHING_NEW("there is nothing it has not been told"),
        POLICY_OFF("its wake policy is off"),
        NOT_IDLE("its last turn has not reported its end"),
        ENDED("it has ended, and its wake policy is not headless"),
        HARNESS_GONE("its harness is not there any more"),
        QUIET("its user has just submitted a prompt"),
        INTERRUPTED("its user interrupted it since the run was started"),
        LIMIT("it has gone on by itself often enough without its user"),
        OWN_DOING("its user has stopped the run himself"),
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

    /** The rule that forbids to wake it now, if one does. {@code harnessLives}: as far as can be seen. */
    public Optional<Rule> against(OwnerSession session, List<NoticeRecord> untold, boolean harnessLives, Instant now) {
        if (untold.isEmpty()) return Optional.of(Rule.NOTHING_NEW);
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
        return againstAnotherTurn(session, untold);
    }

    /** The rule that forbids to keep a turn from ending, or to begin one, whoever waits for whom. */
    public Optional<Rule> againstAnotherTurn(OwnerSession session, List<NoticeRecord> untold) {
        if (policy.mode() == WakePolicy.Mode.OFF) return Optional.of(Rule.POLICY_OFF);
        if (session.wakes() >= policy.limit()) return Optional.of(Rule.LIMIT);
        var ofRuns = untold.stream().flatMap(notice -> notice.ofRun().stream()).toList();
        if (ofRuns.isEmpty()) return Optional.of(Rule.ONLY_A_PAUSE);
        var news = ofRuns.stream().filter(notice -> !ownDoing(notice)).toList();
        if (news.isEmpty()) return Optional.of(Rule.OWN_DOING);
        boolean wanted = news.stream().anyMatch(notice -> !interruptedSince(session, notice));
        return wanted ? Optional.empty() : Optional.of(Rule.INTERRUPTED);
    }

    private static boolean ownDoing(NoticeRecord.RunNotice notice) {
        return notice.attempt().status() == Status.CANCELED_BY_USER;
    }

    private static boolean interruptedSince(OwnerSession session, NoticeRecord.RunNotice notice) {
        return session.interruptedAt()
                .filter(at -> !at.isBefore(notice.run().createdAt()))
                .isPresent();
    }
}
