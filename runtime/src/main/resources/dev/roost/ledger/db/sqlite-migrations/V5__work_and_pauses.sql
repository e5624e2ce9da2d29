-- Where a run's code is, and when nobody could look after it.

-- A run's own worktree: where it is, what it came from, what was kept of it and how far its code got.
CREATE TABLE work (
    run_id         TEXT    PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    path           TEXT    NOT NULL,
    common         TEXT    NOT NULL,                               -- the repository's common git directory
    base           TEXT    NOT NULL,                               -- the commit it began with
    target         TEXT,                                           -- the branch its caller was on
    origin         TEXT    NOT NULL,                               -- the directory its caller was in
    made_at        INTEGER,                                        -- NULL: there has been none yet
    removed_at     INTEGER,                                        -- NULL: it has not been removed since
    checkpoint     INTEGER,
    rescue_ref     TEXT,
    checkpoint_at  INTEGER,
    pushed         INTEGER NOT NULL DEFAULT 0,                     -- the latest checkpoint that is on the remote for them
    left_out       INTEGER NOT NULL DEFAULT 0 CHECK (left_out >= 0), -- files that are in no checkpoint
    landing        TEXT    CHECK (landing IN ('nothing', 'uncommitted', 'committed', 'pushed', 'pr_open', 'merged')),
    landing_words  TEXT,
    landing_json   TEXT,
    landing_at     INTEGER,
    looked         INTEGER NOT NULL DEFAULT 0,                     -- the attempt after whose end it was looked at
    trouble        TEXT,                                           -- why the last look or checkpoint failed
    CHECK ((checkpoint IS NULL) = (rescue_ref IS NULL) AND (checkpoint IS NULL) = (checkpoint_at IS NULL)),
    CHECK ((landing IS NULL) = (landing_words IS NULL) AND (landing IS NULL) = (landing_json IS NULL)
           AND (landing IS NULL) = (landing_at IS NULL)),
    CHECK (removed_at IS NULL OR made_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempt_ended ON attempt (ended_at) WHERE ended_at IS NOT NULL;

-- A time in which nobody looked after the runs: the machine slept or restarted, no daemon was there, or somebody said so.
CREATE TABLE pause (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    kind           TEXT    NOT NULL CHECK (kind IN ('sleep', 'downtime', 'reboot', 'planned')),
    began_at       INTEGER NOT NULL,
    ended_at       INTEGER,                                        -- NULL: announced, and not over
    CHECK (ended_at IS NOT NULL OR kind = 'planned')
) STRICT;

CREATE UNIQUE INDEX pause_once ON pause (kind, began_at);
CREATE UNIQUE INDEX pause_open ON pause (ended_at IS NULL) WHERE ended_at IS NULL;

-- What was done about it: checkpoints, hooks, and what of that failed.
CREATE TABLE pause_remark (
    pause          INTEGER NOT NULL REFERENCES pause (id) ON DELETE CASCADE,
    n              INTEGER NOT NULL,
    failed         INTEGER NOT NULL CHECK (failed IN (0, 1)),
    text           TEXT    NOT NULL,
    PRIMARY KEY (pause, n)
) STRICT, WITHOUT ROWID;

-- The attempts that were live when it began.
CREATE TABLE paused (
    pause          INTEGER NOT NULL REFERENCES pause (id) ON DELETE CASCADE,
    run_id         TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt        INTEGER NOT NULL,
    PRIMARY KEY (pause, run_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX paused_by_run ON paused (run_id);

CREATE TABLE new_notice (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id         TEXT    REFERENCES run (id) ON DELETE CASCADE,
    attempt        INTEGER,
    pause          INTEGER REFERENCES pause (id) ON DELETE CASCADE,
    kind           TEXT    NOT NULL CHECK (kind IN ('ended', 'needs_input', 'changed', 'pause')),
    sequence       INTEGER NOT NULL,
    owner          TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    acked_at       INTEGER,
    offer          INTEGER,                                        -- the last digest it was in
    UNIQUE (run_id, attempt, kind, sequence),
    UNIQUE (owner, pause),
    CHECK ((kind = 'pause') = (pause IS NOT NULL)),
    CHECK ((kind = 'pause') = (run_id IS NULL)),
    CHECK ((run_id IS NULL) = (attempt IS NULL))
) STRICT;

INSERT INTO new_notice (id, run_id, attempt, kind, sequence, owner, created_at, acked_at, offer)
SELECT id, run_id, attempt, kind, sequence, owner, created_at, acked_at, offer FROM notice;
CREATE TEMPORARY TABLE kept_delivery AS SELECT * FROM delivery;
DROP TABLE notice;
ALTER TABLE new_notice RENAME TO notice;
DELETE FROM delivery;
INSERT INTO delivery SELECT * FROM kept_delivery;
DROP TABLE kept_delivery;
CREATE INDEX notice_pending ON notice (owner, id) WHERE acked_at IS NULL;
CREATE INDEX notice_by_offer ON notice (offer) WHERE offer IS NOT NULL;
