package dev.roost.ledger;

import dev.roost.testing.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of every ledger, including races, by subject; it runs against each database. */
public abstract class LedgerContract
        implements SubmissionContract,
                CompletionContract,
                StopReasonContract,
                RunQueryContract,
                EventStoreContract,
                SpendStoreContract,
                MessageStoreContract,
                NoticeStoreContract,
                NoticeOfferContract,
                WorktreeStoreContract,
                PauseStoreContract,
                TokenStoreContract,
                LedgerMetricsContract,
                FaultPointsContract {

    protected final ManualClock clock = new ManualClock();
    protected Ledger ledger;

    protected abstract Ledger open();

    @BeforeEach
    void openLedger() {
        ledger = open();
    }

    @AfterEach
    void closeLedger() {
        ledger.close();
    }

    @Override
    public ManualClock clock() {
        return clock;
    }

    @Override
    public Ledger ledger() {
        return ledger;
    }

    @Override
    public void reopen() {
        ledger.close();
        ledger = open();
    }
}
