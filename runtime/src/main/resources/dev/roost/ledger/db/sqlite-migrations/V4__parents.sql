-- Parent sessions: who asked, where they are in their work, and what they were told.

ALTER TABLE run ADD COLUMN notify   TEXT NOT NULL DEFAULT 'done' CHECK (notify IN ('done', 'changes', 'silent'));
ALTER TABLE run ADD COLUMN call_key TEXT;                          -- a call that is made again starts nothing anew

ALTER TABLE attempt ADD COLUMN call_key TEXT;                      -- … and says nothing twice
ALTER TABLE message ADD COLUMN call_key TEXT;

CREATE UNIQUE INDEX run_by_call     ON run (call_key)     WHERE call_key IS NOT NULL;
CREATE UNIQUE INDEX attempt_by_call ON attempt (call_key) WHERE call_key IS NOT NULL;
CREATE UNIQUE INDEX message_by_call ON message (call_key) WHERE call_key IS NOT NULL;

CREATE TABLE owner (
    id             TEXT    PRIMARY KEY CHECK (id GLOB '?*:?*'),
    harness        TEXT    NOT NULL,
    home           TEXT,                                           -- its project's directory
    state          TEXT    NOT NULL CHECK (state IN ('busy', 'idle', 'ended', 'unknown')),
    turn           INTEGER NOT NULL CHECK (turn >= 0),
    fresh          INTEGER NOT NULL CHECK (fresh IN (0, 1)),       -- began, and nobody has said anything yet
    wakes          INTEGER NOT NULL CHECK (wakes >= 0),            -- turns since the user's last that he did not ask for
    prompted_at    INTEGER,
    interrupted_at INTEGER,
    seen_at        INTEGER NOT NULL,
    pid            INTEGER,                                        -- the harness's process
    pid_start      INTEGER,
    boot_id        TEXT,
    CHECK ((pid IS NULL) = (pid_start IS NULL) AND (pid IS NULL) = (boot_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX owner_by_process ON owner (pid, pid_start) WHERE pid IS NOT NULL;

-- A digest that was put before a parent session. Its id is the nonce in its text.
CREATE TABLE offer (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    owner          TEXT    NOT NULL,
    turn           INTEGER NOT NULL,
    occasion       TEXT    NOT NULL CHECK (occasion IN ('start', 'prompt', 'tools', 'stop', 'wake')),
    created_at     INTEGER NOT NULL,
    written_at     INTEGER,                                        -- NULL: the harness may never have got it
    acked_at       INTEGER,
    CHECK (acked_at IS NULL OR written_at IS NOT NULL)
) STRICT;

CREATE INDEX offer_by_turn ON offer (owner, turn);

CREATE TABLE new_notice (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id         TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt        INTEGER NOT NULL,
    kind           TEXT    NOT NULL CHECK (kind IN ('ended', 'needs_input', 'changed')),
    sequence       INTEGER NOT NULL,
    owner          TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    acked_at       INTEGER,
    offer          INTEGER,                                        -- the last digest it was in
    UNIQUE (run_id, attempt, kind, sequence)
) STRICT;

INSERT INTO new_notice SELECT *, NULL FROM notice;
DROP TABLE notice;
ALTER TABLE new_notice RENAME TO notice;
CREATE INDEX notice_pending ON notice (owner, id) WHERE acked_at IS NULL;
CREATE INDEX notice_by_offer ON notice (offer) WHERE offer IS NOT NULL;

-- What goes out beside the sessions (a command, a webhook): once for each notice, tried until it succeeds or is given up.
CREATE TABLE delivery (
    notice         INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    channel        TEXT    NOT NULL,
    tries          INTEGER NOT NULL,
    next_at        INTEGER,                                        -- NULL: over
    failing_since  INTEGER,                                        -- NULL: no try has failed
    error          TEXT,                                           -- of the last try; NULL: it succeeded
    PRIMARY KEY (notice, channel),
    CHECK ((error IS NULL) OR failing_since IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_due ON delivery (channel, next_at) WHERE next_at IS NOT NULL;

-- What lets a program in over HTTP. The secret itself is nowhere.
CREATE TABLE token (
    id             TEXT    PRIMARY KEY CHECK (id GLOB 't_*'),
    sha256         TEXT    NOT NULL UNIQUE,
    owner          TEXT    NOT NULL CHECK (owner GLOB '?*:?*'),
    scope          TEXT    NOT NULL,                               -- JSON: agents, directory, path map, caps, launcher
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    used_at        INTEGER
) STRICT, WITHOUT ROWID;
