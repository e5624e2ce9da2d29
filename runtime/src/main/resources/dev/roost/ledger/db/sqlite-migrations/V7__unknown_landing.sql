-- How far a run's code got can also be unknown: git cannot read its worktree.

CREATE TABLE new_work (
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
    landing        TEXT    CHECK (landing IN ('nothing', 'uncommitted', 'committed', 'pushed', 'pr_open', 'merged',
                                             'unknown')),
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

INSERT INTO new_work
SELECT run_id, path, common, base, target, origin, made_at, removed_at, checkpoint, rescue_ref, checkpoint_at, pushed, left_out,
       landing, landing_words, landing_json, landing_at, looked, trouble
  FROM work;
DROP TABLE work;
ALTER TABLE new_work RENAME TO work;
