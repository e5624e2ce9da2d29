package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.ManualClock;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.ParentEvent;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.Question;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
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

/** What is asked often is found by an index: what has ended over the years costs those nothing that are live today. */
class QueryPlansTest {

    private static final Owner PARENT = new Owner("claude:parent");
    private static final Caps CAPS = new Caps(5, 20, Caps.Overflow.REFUSE);

    private static final Pattern ROWS = Pattern.compile("\\s*(SELECT|INSERT|UPDATE|DELETE)\\b");

    /** Indices that hold only what is not over yet: to read all of one is to read little. */
    private static final List<String> FEW = List.of(
            " USING INDEX attempt_live",
            " USING INDEX attempt_queue",
            " USING INDEX attempt_unread",
            " USING INDEX attempt_unsealed",
            " USING INDEX notice_pending",
            " USING INDEX delivery_due");

    /** What is read as a whole, and why it may be. */
    private static final Map<String, String> MEANT = Map.of(
            "SCAN spend", "a sum of all, and it has a row for each owner and day only",
            "SCAN m USING INDEX message_by_run",
                    "words that came too late; people say little, and agents nothing here");

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final Set<String> asked = new ConcurrentSkipListSet<>();

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("roost.db") + "?foreign_keys=true");
    }

    /** The ledger's own file, of which everything that it prepares is seen. */
    private Store watched(SqliteFile file) {
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (_, method, values) -> {
                    if (!Set.of("writing", "reading").contains(method.getName())) return method.invoke(file, values);
                    return new SqliteSql(watched(connect()));
                });
    }

    private Connection watched(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, values) -> {
                    if (method.getName().equals("prepareStatement")) asked.add((String) values[0]);
                    return method.invoke(real, values);
                });
    }

    private NewRun aRun(String name, String callKey) {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.of(name),
                PARENT,
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

    /** From the start of a run to its removal, and whoever asks for it meanwhile. */
    private void live(Ledger ledger) {
        ledger.deliveries().by(Set.of("webhook"));
        ledger.submit(aRun("other", "call 1"), CAPS);
        var run = ledger.submit(aRun("nightly", "call 2"), CAPS).id();
        assertThat(ledger.claim(CAPS, 5)).hasSize(2);
        assertThat(ledger.began(run, 1, new Began(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0)))
                .isTrue();
        assertThat(ledger.progressed(run, 1, Progress.of(new Position(1, 1, 1))))
                .isTrue();
        converse(ledger, run);
        look(ledger, run);
        var how = new RunEvent.Exited(new Outcome.Completed());
        var result = new Result(Optional.of("done"), 4);
        var end = new End(how, clock.now(), Evidence.none(), result, Progress.of(new Position(7, 9, 11)));
        assertThat(ledger.finish(run, 1, end)).isTrue();
        assertThat(ledger.runs().unsealed()).hasSize(1);
        assertThat(ledger.runs().unsealed(run)).isPresent();
        ledger.sealed(run, 1);
        assertThat(ledger.runs().list(Query.of(Query.Which.UNREAD))).hasSize(1);
        look(ledger, run);
        tell(ledger, run);
        clock.advance(Duration.ofDays(30));
        assertThat(ledger.runs().endedBefore(clock.now())).hasSize(1);
        assertThat(ledger.remove(run)).isTrue();
    }

    private static void converse(Ledger ledger, RunId run) {
        var question = new Question("q1", Question.Kind.INPUT, "which?");
        assertThat(ledger.phase(run, 1, Phase.NEEDS_INPUT, Optional.of(question)))
                .isTrue();
        var words = new Letters.Words("that one", "operator", Optional.of("call 3"));
        var letter = ledger.letters()
                .post(run, 1, Letter.Kind.ANSWER, Optional.of("q1"), words)
                .orElseThrow();
        ledger.letters().send(run, 1, List.of(new Line(0, letter.key(), Optional.of("that one"))));
        assertThat(ledger.phase(run, 1, Phase.WORKING, Optional.empty())).isTrue();
        assertThat(ledger.letters().of(run, 1)).hasSize(1);
        assertThat(ledger.letters().sent(run, 1)).hasSize(1);
        assertThat(ledger.letters().toldBy("call 3")).isPresent();
    }

    private static void look(Ledger ledger, RunId run) {
        assertThat(ledger.runs().find(run)).isPresent();
        for (var owner : List.of(Optional.<Owner>empty(), Optional.of(PARENT))) {
            for (var which : List.of(Query.Which.LIVE, Query.Which.UNREAD, Query.Which.ACTIVE))
                ledger.runs().list(Query.of(which).of(owner));
            assertThat(ledger.runs().named("nightly", owner)).hasSize(1);
            assertThat(ledger.notices().pending(owner)).isNotEmpty();
        }
        assertThat(ledger.runs().running()).isNotEmpty();
        assertThat(ledger.runs().runningIds()).isNotEmpty();
        assertThat(ledger.runs().attempts(run)).hasSize(1);
        assertThat(ledger.runs().events(run)).isNotEmpty();
        assertThat(ledger.notices().of(run)).isNotEmpty();
        assertThat(ledger.deliveries().open("webhook", 10)).isNotEmpty();
        ledger.runs().result(run, 1);
        ledger.tallies().spentToday(PARENT);
        ledger.tallies().tally(10);
        ledger.note(run, 1, EventKind.TROUBLE, "something");
        assertThat(ledger.letters().withLateWords()).isEmpty();
    }

    private static void tell(Ledger ledger, RunId run) {
        var offer = ledger.sessions()
                .hear(heard(new ParentEvent.Started()), (_, _) -> true)
                .offer()
                .orElseThrow();
        assertThat(ledger.sessions().withdraw(offer.id())).isTrue();
        var again = ledger.sessions()
                .hear(heard(new ParentEvent.Prompted(true)), (_, _) -> true)
                .offer()
                .orElseThrow();
        assertThat(ledger.sessions().written(again.id())).isTrue();
        ledger.sessions().untold(PARENT);
        ledger.sessions().hear(heard(new ParentEvent.ToolsDone()), (_, _) -> true);
        assertThat(ledger.notices().pending(Optional.of(PARENT))).isEmpty();
        ledger.notices().acknowledge(List.of(1L), Optional.of(PARENT));
        assertThat(ledger.notices().read(run, 1)).isTrue();
    }

    private static Report heard(ParentEvent event) {
        return new Report(PARENT, "claude-code", Optional.empty(), Optional.empty(), event);
    }

    @Test
    void nothing_that_is_asked_often_reads_a_whole_table() throws SQLException {
        var file = new SqliteFile(directory.resolve("roost.db"));
        file.migrate();
        try (var ledger = new Ledger(watched(file), clock)) {
            live(ledger);
        }
        var meant = new HashSet<String>();
        var whole = new ArrayList<String>();
        try (var connection = connect();
                var statement = connection.createStatement()) {
            for (var sql : asked) {
                if (!ROWS.matcher(sql).lookingAt()) continue;
                try (var plan = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
                    while (plan.next()) {
                        var step = plan.getString("detail");
                        if (MEANT.containsKey(step)) meant.add(step);
                        else if (isWhole(step)) whole.add(step + ": " + sql);
                    }
                }
            }
        }
        assertThat(whole).isEmpty();
        assertThat(meant).as("what is still done").isEqualTo(MEANT.keySet());
    }

    /** Everything else is a search, or orders what was found. */
    private static boolean isWhole(String step) {
        return step.startsWith("SCAN ")
                && !step.equals("SCAN CONSTANT ROW")
                && FEW.stream().noneMatch(step::endsWith);
    }
}
