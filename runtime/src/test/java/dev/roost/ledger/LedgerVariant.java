package dev.roost.ledger;

/** A second ledger over the writer and the reader of {@code original}, whose methods a test overrides. */
public class LedgerVariant extends Ledger {

    public LedgerVariant(Ledger original) {
        super(original.context);
    }

    /** A run store whose methods a test overrides. */
    public static class OfRuns extends RunStore {
        public OfRuns(Ledger original) {
            super(original.context);
        }
    }

    /** A session store whose methods a test overrides. */
    public static class OfSessions extends SessionStore {
        public OfSessions(Ledger original) {
            super(original.context, original.notices());
        }
    }
}
