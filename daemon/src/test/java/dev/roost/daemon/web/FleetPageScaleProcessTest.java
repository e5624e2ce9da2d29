package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.BrowserFixture;
import dev.roost.home.Home;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.model.Budget;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page with very many ended runs. */
class FleetPageScaleProcessTest extends BrowserFixture {

    private static final int MANY = 5000;

    @Override
    public Process start(String... prefix) throws IOException {
        fill();
        return super.start(prefix);
    }

    private void fill() {
        var clock = new SystemClock();
        try (var ledger = SqliteLedger.open(Home.open(home).ledger(), clock)) {
            for (int i = 0; i < MANY; i++) {
                var began = clock.now().minus(Duration.ofDays(3)).plusSeconds(i);
                var run = new NewRun(
                        RunId.create(began),
                        Optional.of("old-" + i),
                        new Owner("cli:owner-" + i % 7),
                        "command",
                        "command",
                        "{}",
                        "one of many",
                        Path.of("/"),
                        Budget.ofOutput(1000),
                        false,
                        1,
                        Optional.empty());
                var outcome =
                        i % 10 == 0 ? new Outcome.Failed(dev.roost.model.Cause.EXIT_CODE) : new Outcome.Completed();
                ledger.importRun(
                        run,
                        new ImportedAttempt(
                                began,
                                began.plusSeconds(60),
                                outcome,
                                Evidence.none(),
                                new AttemptResult(Optional.of("done " + i), 6),
                                0,
                                Optional.empty()));
                ledger.markOutputFinal(run.id(), 1);
            }
        }
    }

    @Test
    void five_thousand_runs_are_listed_searched_and_kept_up_to_date() throws Exception {
        signIn();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(listed()).isEqualTo((long) MANY));
        element("#filter").sendKeys("old-4321");
        awaitText("#found", "1 run");
        assertThat(text(".run:not(.miss)")).contains("old-4321");
        element("#filter").sendKeys(Keys.ESCAPE);
        var fresh = command("cli:owner-3", "fresh", "echo here I am");
        awaitText("#" + fresh, "completed", "here I am");
        assertThat(listed()).isEqualTo(MANY + 1L);
        awaitText(".tile.died", "0\ndied in 24 h");
        click(".tile.died");
        awaitText("#found", "0 runs"); // the list matches the count
        element("#filter").sendKeys(Keys.ESCAPE);
        element("#filter").sendKeys("failed");
        awaitText("#found", "500 runs");
        assertThat(complaints()).isEmpty();
    }

    private static @Nullable Object listed() {
        return js("return document.querySelectorAll('.run').length");
    }
}
