package dev.roost.cluster;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerContract;

/** The contract of the embedded ledger, unchanged, and what is PostgreSQL's own. */
class PostgresLedgerTest extends LedgerContract {

    private final String address = Databases.fresh();

    @Override
    protected Ledger open() {
        return Postgres.open(address, "", clock);
    }
}
