-- A run started from inside another knows its parent, and how deep it is.

ALTER TABLE run ADD COLUMN depth  INTEGER NOT NULL DEFAULT 1 CHECK (depth >= 1);
ALTER TABLE run ADD COLUMN parent TEXT;

-- How long the machine had slept in this boot when the attempt began: with that, what it slept since is known.
ALTER TABLE attempt ADD COLUMN began_slept_ns INTEGER;

CREATE INDEX attempt_queue ON attempt (created_at, run_id) WHERE status = 'queued';
