package dev.roost.ledger.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.SessionReport;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.Evidence;
import dev.roost.model.Notify;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.SessionEvent;
import dev.roost.testing.ManualClock;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frequent queries use an index, so ended runs do not slow down queries for live ones. */
class LedgerQueryPlanTest {

    private static final Owner OWNER = new Owner("claude:parent");
    private static final Caps CAPS = new Caps(5, 20, Caps.Overflow.REFUSE);

    private static final Pattern ROWS = Pattern.compile("\\s*(SELECT|INSERT|UPDATE|DELETE)\\b");

    /** Partial indexes that hold only live or pending rows: a scan of one reads few rows. */
    private static final List<String> SMALL_INDEXES = List.of(
            " USING INDEX attempt_live",
            " USING INDEX attempt_queue",
            " USING INDEX attempt_unread",
            " USING INDEX attempt_unsealed",
            " USING INDEX notice_pending",
            " USING INDEX delivery_due");

    /** Allowed full scans, with the reason. */
    private static final Map<String, String> ALLOWED_SCANS = Map.of(
            "SCAN spend", "a sum over a table with one row for each owner and day",
            "SCAN m USING INDEX message_by_run", "late messages, of which there are few");

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final Set<String> executedSql = new ConcurrentSkipListSet<>();

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("roost.db") + "?foreign_keys=true");
    }

    /** A database that records every statement the ledger prepares. */
    private LedgerDatabase recording(SqliteDatabase file) {
        return (LedgerDatabase) Proxy.newProxyInstance(
                LedgerDatabase.class.getClassLoader(), new Class<?>[] {LedgerDatabase.class}, (_, method, values) -> {
                    if (!Set.of("writing", "reading").contains(method.getName())) return method.invoke(file, values);
                    return new SqliteConnection(recording(connect()));
                });
    }

    private Connection recording(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, values) -> {
                    if (method.getName().equals("prepareStatement")) executedSql.add((String) values[0]);
                    return method.invoke(real, values);
                });
    }

    private NewRun aRun(String name, String callKey) {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.of(name),
                OWNER,
                "command",
                "command",
                "{}",
                "make test",
                Path.of("/"),
                Budget.ofOutput(1 << 30),
                true,
                1,
                Optional.empty(),
                Notify.CHANGES,
                Optional.of(callKey),
                Optional.empty());
    }

    /** All writes and reads in the life of a run, from its submission to its removal. */
    private void playRunLifecycle(Ledger ledger) {
        ledger.deliveries().setChannels(Set.of("webhook"));
        ledger.submit(aRun("other", "call 1"), CAPS);
        var run = ledger.submit(aRun("nightly", "call 2"), CAPS).id();
        assertThat(ledger.claim(CAPS, 5)).hasSize(2);
        assertThat(ledger.recordStarted(
                        run, 1, new StartedProcesses(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0)))
                .isTrue();
        assertThat(ledger.recordProgress(run, 1, AttemptProgress.of(new StreamPosition(1, 1, 1))))
                .isTrue();
        exchangeMessages(ledger, run);
        readAll(ledger, run);
        var how = new RunEvent.Exited(new Outcome.Completed());
        var result = new AttemptResult(Optional.of("done"), 4);
        var end = new AttemptEnd(
                how, clock.now(), Evidence.none(), result, AttemptProgress.of(new StreamPosition(7, 9, 11)));
        assertThat(ledger.finish(run, 1, end)).isTrue();
        assertThat(ledger.runs().withUnfinishedOutput()).hasSize(1);
        assertThat(ledger.runs().withUnfinishedOutput(run)).isPresent();
        ledger.markOutputFinal(run, 1);
        assertThat(ledger.runs().list(RunQuery.of(RunQuery.StatusFilter.UNREAD)))
                .hasSize(1);
        readAll(ledger, run);
        offerNotices(ledger, run);
        clock.advance(Duration.ofDays(30));
        assertThat(ledger.runs().endedBefore(clock.now())).hasSize(1);
        assertThat(ledger.remove(run)).isTrue();
    }

    private static void exchangeMessages(Ledger ledger, RunId run) {
        var question = new Question("q1", Question.Kind.INPUT, "which?");
        assertThat(ledger.recordPhase(run, 1, Phase.NEEDS_INPUT, Optional.of(question)))
                .isTrue();
        var text = new MessageStore.MessageText("that one", "operator", Optional.of("call 3"));
        var message = ledger.messages()
                .post(run, 1, SentMessage.MessageKind.ANSWER, Optional.of("q1"), text)
                .orElseThrow();
        ledger.messages().send(run, 1, List.of(new InputLine(0, message.key(), Optional.of("that one"))));
        assertThat(ledger.recordPhase(run, 1, Phase.WORKING, Optional.empty())).isTrue();
        assertThat(ledger.messages().of(run, 1)).hasSize(1);
        assertThat(ledger.messages().sent(run, 1)).hasSize(1);
        assertThat(ledger.messages().findByCallKey("call 3")).isPresent();
    }

    private static void readAll(Ledger ledger, RunId run) {
        assertThat(ledger.runs().find(run)).isPresent();
        for (var owner : List.of(Optional.<Owner>empty(), Optional.of(OWNER))) {
            for (var which :
                    List.of(RunQuery.StatusFilter.LIVE, RunQuery.StatusFilter.UNREAD, RunQuery.StatusFilter.ACTIVE))
                ledger.runs().list(RunQuery.of(which).of(owner));
            assertThat(ledger.runs().named("nightly", owner)).hasSize(1);
            assertThat(ledger.notices().pending(owner)).isNotEmpty();
        }
        assertThat(ledger.runs().running()).isNotEmpty();
        assertThat(ledger.runs().runningIds()).isNotEmpty();
        assertThat(ledger.runs().attempts(run)).hasSize(1);
        assertThat(ledger.runs().events(run)).isNotEmpty();
        assertThat(ledger.notices().of(run)).isNotEmpty();
        assertThat(ledger.deliveries().pending("webhook", 10)).isNotEmpty();
        ledger.runs().result(run, 1);
        ledger.spend().spentToday(OWNER);
        ledger.spend().tally(10);
        ledger.note(run, 1, EventKind.TROUBLE, "something");
        assertThat(ledger.messages().runsWithLateMessages()).isEmpty();
    }

    private static void offerNotices(Ledger ledger, RunId run) {
        var offer = ledger.sessions()
                .record(reportOf(new SessionEvent.SessionStarted()), (_, _) -> true)
                .offer()
                .orElseThrow();
        assertThat(ledger.sessions().cancel(offer.id())).isTrue();
        var again = ledger.sessions()
                .record(reportOf(new SessionEvent.PromptSubmitted(true)), (_, _) -> true)
                .offer()
                .orElseThrow();
        assertThat(ledger.sessions().markDelivered(again.id())).isTrue();
        ledger.sessions().undelivered(OWNER);
        ledger.sessions().record(reportOf(new SessionEvent.ToolsFinished()), (_, _) -> true);
        assertThat(ledger.notices().pending(Optional.of(OWNER))).isEmpty();
        ledger.notices().acknowledge(List.of(1L), Optional.of(OWNER));
        assertThat(ledger.notices().markRead(run, 1)).isTrue();
    }

    private static SessionReport reportOf(SessionEvent event) {
        return new SessionReport(OWNER, "claude-code", Optional.empty(), Optional.empty(), event);
    }

    @Test
    void no_frequent_statement_scans_a_whole_table() throws SQLException {
        var file = new SqliteDatabase(directory.resolve("roost.db"));
        file.migrate();
        try (var ledger = new Ledger(recording(file), clock)) {
            playRunLifecycle(ledger);
        }
        var usedAllowances = new HashSet<String>();
        var fullScans = new ArrayList<String>();
        try (var connection = connect();
                var statement = connection.createStatement()) {
            for (var sql : executedSql) {
                if (!ROWS.matcher(sql).lookingAt()) continue;
                try (var plan = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
                    while (plan.next()) {
                        var step = plan.getString("detail");
                        if (ALLOWED_SCANS.containsKey(step)) usedAllowances.add(step);
                        else if (isFullScan(step)) fullScans.add(step + ": " + sql);
                    }
                }
            }
        }
        assertThat(fullScans).isEmpty();
        assertThat(usedAllowances).as("every allowed scan is still used").isEqualTo(ALLOWED_SCANS.keySet());
    }

    /** Other steps are searches, or sort the rows found. */
    private static boolean isFullScan(String step) {
        return step.startsWith("SCAN ")
                && !step.equals("SCAN CONSTANT ROW")
                && SMALL_INDEXES.stream().noneMatch(step::endsWith);
    }
}
