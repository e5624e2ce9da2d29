-- Who has an attempt, where several machines share a ledger; this one has a single writer, and so no name for it.

ALTER TABLE run      ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt  ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE event    ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE owner    ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE pause    ADD COLUMN node TEXT NOT NULL DEFAULT '';

CREATE TABLE new_spend (
    owner         TEXT    NOT NULL,
    day           TEXT    NOT NULL,
    node          TEXT    NOT NULL DEFAULT '',
    tokens        INTEGER NOT NULL,
    cost_micros   INTEGER NOT NULL,
    PRIMARY KEY (owner, day, node)
) STRICT, WITHOUT ROWID;

INSERT INTO new_spend (owner, day, tokens, cost_micros) SELECT owner, day, tokens, cost_micros FROM spend;
DROP TABLE spend;
ALTER TABLE new_spend RENAME TO spend;
