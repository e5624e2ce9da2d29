-- The machine of docs/lifecycle.md, enforced. Times are milliseconds since 1970 in UTC.

CREATE TABLE run (
    id            TEXT    PRIMARY KEY CHECK (id GLOB 'r_*'),
    name          TEXT,
    owner         TEXT    NOT NULL CHECK (owner GLOB '?*:?*'),
    agent         TEXT    NOT NULL,
    driver        TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    cwd           TEXT    NOT NULL,
    max_time_ms   INTEGER CHECK (max_time_ms > 0),
    max_output    INTEGER NOT NULL CHECK (max_output > 0),
    on_loss       TEXT    NOT NULL CHECK (on_loss IN ('resume', 'report')),
    attempt       INTEGER NOT NULL CHECK (attempt >= 1),          -- the latest
    created_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX run_by_owner ON run (owner, id);
CREATE INDEX run_by_name  ON run (name) WHERE name IS NOT NULL;

CREATE TABLE attempt (
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    n             INTEGER NOT NULL CHECK (n >= 1),
    status        TEXT    NOT NULL CHECK (status IN
                      ('queued', 'running', 'completed', 'completed_empty', 'failed', 'canceled_by_user', 'abandoned')),
    phase         TEXT,
    cause         TEXT    CHECK (cause IN
                      ('finished', 'agent_error', 'exit_code', 'signal', 'out_of_memory', 'spawn_failed', 'budget_time',
                       'budget_tokens', 'budget_cost', 'budget_turns', 'budget_output', 'stopped', 'host_reboot',
                       'perch_lost', 'worker_lost', 'rate_limited', 'over_capacity')),
    evidence      TEXT,
    stop_cause    TEXT,
    stop_by       TEXT,
    perch_pid     INTEGER,
    perch_start   INTEGER,
    agent_pid     INTEGER,
    agent_start   INTEGER,
    boot_id       TEXT,
    began_mono_ns INTEGER,                                        -- CLOCK_MONOTONIC of that boot
    out_offset    INTEGER NOT NULL DEFAULT 0,                     -- how far `out` was read …
    output_bytes  INTEGER NOT NULL DEFAULT 0,                     -- … and how long that made output.md
    output_sealed INTEGER NOT NULL DEFAULT 0 CHECK (output_sealed IN (0, 1)),
    result        TEXT,
    result_bytes  INTEGER,
    created_at    INTEGER NOT NULL,
    started_at    INTEGER,
    ended_at      INTEGER,
    read_at       INTEGER,
    PRIMARY KEY (run_id, n),
    CHECK ((status IN ('queued', 'running')) = (ended_at IS NULL)),
    CHECK ((ended_at IS NULL) = (cause IS NULL)),
    CHECK ((ended_at IS NULL) = (evidence IS NULL)),
    CHECK ((ended_at IS NULL) = (phase IS NOT NULL)),
    CHECK (status <> 'queued'  OR phase IN ('waiting_for_slot', 'parked', 'resuming')),
    CHECK (status <> 'running' OR phase IN ('starting', 'working', 'needs_input', 'quiet', 'finishing', 'stopping')),
    CHECK (status <> 'running' OR started_at IS NOT NULL),
    CHECK ((stop_cause IS NULL) = (stop_by IS NULL)),
    CHECK (status NOT IN ('completed', 'completed_empty') OR cause = 'finished'),
    CHECK (status <> 'canceled_by_user' OR cause = 'stopped'),
    CHECK (result IS NULL OR ended_at IS NOT NULL),
    CHECK (read_at IS NULL OR ended_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempt_live   ON attempt (run_id) WHERE ended_at IS NULL;
CREATE INDEX attempt_unread ON attempt (run_id) WHERE ended_at IS NOT NULL AND read_at IS NULL;
CREATE INDEX attempt_unsealed ON attempt (run_id) WHERE ended_at IS NOT NULL AND output_sealed = 0;

CREATE TRIGGER one_live_attempt BEFORE INSERT ON attempt
WHEN EXISTS (SELECT 1 FROM attempt WHERE run_id = NEW.run_id AND ended_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a run has one live attempt at most'); END;

CREATE TRIGGER an_end_is_immutable BEFORE UPDATE ON attempt
WHEN OLD.ended_at IS NOT NULL AND (
       NEW.status <> OLD.status OR NEW.cause <> OLD.cause OR NEW.evidence <> OLD.evidence
    OR NEW.ended_at IS NOT OLD.ended_at OR NEW.result IS NOT OLD.result OR NEW.result_bytes IS NOT OLD.result_bytes)
BEGIN SELECT RAISE(ABORT, 'the end of an attempt is immutable'); END;

CREATE TRIGGER never_back_to_the_queue BEFORE UPDATE OF status ON attempt
WHEN NEW.status = 'queued' AND OLD.status <> 'queued'
BEGIN SELECT RAISE(ABORT, 'an attempt is queued once'); END;

CREATE TRIGGER success_needs_a_start BEFORE UPDATE OF status ON attempt
WHEN OLD.status = 'queued' AND NEW.status IN ('completed', 'completed_empty')
BEGIN SELECT RAISE(ABORT, 'what never ran cannot have completed'); END;

CREATE TABLE event (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt       INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    text          TEXT    NOT NULL
) STRICT;

CREATE INDEX event_by_run ON event (run_id, seq);

CREATE TABLE notice (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt       INTEGER NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('ended')),
    sequence      INTEGER NOT NULL,
    owner         TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    acked_at      INTEGER,
    UNIQUE (run_id, attempt, kind, sequence)
) STRICT;

CREATE INDEX notice_pending ON notice (owner, id) WHERE acked_at IS NULL;
