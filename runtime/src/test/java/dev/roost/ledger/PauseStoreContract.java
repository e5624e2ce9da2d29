package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A pause is recorded once and reported once to each affected owner. */
interface PauseStoreContract extends LedgerFixture {

    @Test
    default void a_pause_is_recorded_once_and_reported_once_to_each_owner_with_a_live_run() {
        var before = running();
        clock().advance(Duration.ofMinutes(1));
        ledger().finish(before, 1, end(SUCCESS));
        clock().advance(Duration.ofMinutes(1));
        var affected = running();
        ledger().submit(aRun(Optional.empty(), OTHER_OWNER), Caps.NONE);
        clock().advance(Duration.ofMinutes(1));
        var from = clock().now();
        clock().advance(Duration.ofHours(16));
        ledger().finish(affected, 1, end(SUCCESS));

        var pause = ledger().pauses().recordPause(PauseWindow.Kind.SLEEP, from, clock().now(), true);
        assertThat(pause).isPresent();
        assertThat(ledger().pauses().recordPause(PauseWindow.Kind.SLEEP, from, clock().now(), true))
                .as("already recorded")
                .isEmpty();
        submit(aRun()); // submitted after the pause
        reopen();

        assertThat(ledger().pauses().find(pause.get()).orElseThrow().runs()).hasSize(2);
        assertThat(ledger().notices().pending(Optional.of(OWNER)).stream()
                        .filter(NoticeRecord.PauseNotice.class::isInstance)
                        .map(NoticeRecord.PauseNotice.class::cast))
                .singleElement()
                .satisfies(report -> assertThat(report.pause().runs())
                        .singleElement()
                        .satisfies(run -> {
                            assertThat(run.run().id()).isEqualTo(affected);
                            assertThat(run.state()).isEqualTo(PauseWindow.AffectedRunState.ENDED);
                        }));
        assertThat(ledger().notices().pending(Optional.of(OTHER_OWNER))).hasSize(1);
    }

    @Test
    default void an_announced_pause_becomes_the_pause_that_follows() {
        long announced = ledger().pauses().announce();
        assertThat(ledger().pauses().announce()).isEqualTo(announced);
        ledger().pauses().remark(announced, new PauseWindow.PauseRemark("on_pause: exit status 1", true));
        reopen();
        assertThat(ledger().pauses().announced().orElseThrow().remarks()).hasSize(1);
        clock().advance(Duration.ofHours(1));
        var from = clock().now();
        clock().advance(Duration.ofHours(1));
        assertThat(ledger().pauses().recordPause(PauseWindow.Kind.REBOOT, from, clock().now(), true))
                .contains(announced);
        assertThat(ledger().pauses().announced()).isEmpty();
        assertThat(ledger().pauses().recordPause(PauseWindow.Kind.REBOOT, from, clock().now(), true))
                .as("already recorded")
                .isEmpty();
        assertThat(ledger().pauses().since(from, Optional.empty()))
                .singleElement()
                .satisfies(pause -> {
                    assertThat(pause.kind()).isEqualTo(PauseWindow.Kind.REBOOT);
                    assertThat(pause.length()).isEqualTo(Duration.ofHours(2));
                });
    }
}
