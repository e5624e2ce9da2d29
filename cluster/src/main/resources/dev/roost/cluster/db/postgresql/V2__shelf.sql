-- Files of runs, for nodes that do not hold them. Apart from the ledger's tables, so that much output makes none of those slow.

CREATE TABLE shelf_run (
    run_id   TEXT PRIMARY KEY,
    attempt  INTEGER NOT NULL CHECK (attempt > 0), -- the latest that wrote: an older one changes nothing
    gone     BOOLEAN NOT NULL DEFAULT FALSE        -- its run was pruned, and nobody has removed the files yet
);

CREATE INDEX shelf_run_gone ON shelf_run (run_id) WHERE gone;

CREATE TABLE shelf_stream (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id  TEXT NOT NULL REFERENCES shelf_run ON DELETE CASCADE,
    name    TEXT NOT NULL,
    whole   BOOLEAN NOT NULL,                      -- replaced as a whole; else it grows
    version BIGINT NOT NULL CHECK (version > 0),   -- up by one when something is cut off or replaced
    cut_at  BIGINT NOT NULL DEFAULT 0,             -- where the last cut was
    length  BIGINT NOT NULL DEFAULT 0 CHECK (length >= 0),
    loose   INTEGER NOT NULL DEFAULT 0,            -- how many small chunks are at its end
    UNIQUE (run_id, name)
) WITH (fillfactor = 50); -- a row is updated in place, again and again

CREATE TABLE shelf_chunk (
    stream_id BIGINT NOT NULL REFERENCES shelf_stream ON DELETE CASCADE,
    first     BIGINT NOT NULL CHECK (first >= 0),
    bytes     INTEGER NOT NULL CHECK (bytes > 0),
    packed    BYTEA NOT NULL,                      -- deflated; as it is where its size is that of the bytes
    PRIMARY KEY (stream_id, first)
);

-- packed already
ALTER TABLE shelf_chunk ALTER COLUMN packed SET STORAGE EXTERNAL;

-- What is said of a run goes with it in one commit. Its files, which may be many, are only marked: they are removed afterwards.
CREATE FUNCTION forget_the_rest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM job WHERE run_id = OLD.id;
    UPDATE shelf_run SET gone = TRUE WHERE run_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER forget_the_rest AFTER DELETE ON run FOR EACH ROW EXECUTE FUNCTION forget_the_rest();
