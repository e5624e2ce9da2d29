package dev.roost.ledger;

/** A second ledger over the writer and the rows of {@code original}; a test overrides methods of it. */
public class LedgerVariant extends Ledger {

    public LedgerVariant(Ledger original) {
        super(original.writeContext, original.reader);
    }

    /** Records of runs of which a test overrides methods. */
    public static class OfRuns extends RunStore {
        public OfRuns(Ledger original) {
            super(original.writeContext.database(), original.reader);
        }
    }

    /** Sessions of which a test overrides methods. */
    public static class OfSessions extends SessionStore {
        public OfSessions(Ledger original) {
            super(original.writeContext, original.reader, original.notices());
        }
    }
}
