package dev.roost.ledger;

/** A second ledger over the writer and the rows of {@code original}; a test overrides methods of it. */
public class LedgerVariant extends Ledger {

    public LedgerVariant(Ledger original) {
        super(original.pen, original.reader);
    }

    /** Records of runs of which a test overrides methods. */
    public static class OfRuns extends Records {
        public OfRuns(Ledger original) {
            super(original.pen.store(), original.reader);
        }
    }

    /** Sessions of which a test overrides methods. */
    public static class OfSessions extends Sessions {
        public OfSessions(Ledger original) {
            super(original.pen, original.reader, original.notices());
        }
    }
}
