-- Real agents: conversations, usage, questions, messages, parking.

ALTER TABLE run ADD COLUMN session_id      TEXT;                   -- the agent's own id of the conversation
ALTER TABLE run ADD COLUMN profile         TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN max_tokens      INTEGER CHECK (max_tokens > 0);
ALTER TABLE run ADD COLUMN max_cost_micros INTEGER CHECK (max_cost_micros > 0);
ALTER TABLE run ADD COLUMN max_turns       INTEGER CHECK (max_turns > 0);
UPDATE run SET profile = json_object('name', agent, 'driver', driver);

CREATE INDEX run_by_session ON run (session_id) WHERE session_id IS NOT NULL;

-- A check cannot be changed in place, so the table is made anew.
CREATE TABLE new_attempt (
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    n             INTEGER NOT NULL CHECK (n >= 1),
    turn          INTEGER NOT NULL DEFAULT 1 CHECK (turn >= 1),    -- a message to an ended run begins another
    status        TEXT    NOT NULL CHECK (status IN
                      ('queued', 'running', 'completed', 'completed_empty', 'failed', 'canceled_by_user', 'abandoned')),
    phase         TEXT,
    cause         TEXT    CHECK (cause IN
                      ('finished', 'agent_error', 'refused', 'permission_denied', 'exit_code', 'signal', 'cut_short',
                       'out_of_memory', 'spawn_failed', 'budget_time', 'budget_tokens', 'budget_cost', 'budget_turns',
                       'budget_output', 'budget_day', 'budget_quiet', 'stopped', 'host_reboot', 'perch_lost', 'worker_lost',
                       'rate_limited', 'over_capacity')),
    evidence      TEXT,
    stop_cause    TEXT,
    stop_by       TEXT,
    perch_pid     INTEGER,
    perch_start   INTEGER,
    agent_pid     INTEGER,
    agent_start   INTEGER,
    boot_id       TEXT,
    began_mono_ns INTEGER,                                        -- CLOCK_MONOTONIC of that boot
    began_slept_ns INTEGER,                                       -- how long the machine had slept in that boot
    out_offset    INTEGER NOT NULL DEFAULT 0,                     -- how far `out` was read …
    output_bytes  INTEGER NOT NULL DEFAULT 0,                     -- … and how long that made output.md
    transcript_bytes INTEGER NOT NULL DEFAULT 0,                  -- … and transcript.jsonl
    output_sealed INTEGER NOT NULL DEFAULT 0 CHECK (output_sealed IN (0, 1)),
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost_micros   INTEGER,                                        -- NULL: nobody knows
    turns         INTEGER NOT NULL DEFAULT 0,
    active_ms     INTEGER NOT NULL DEFAULT 0,                     -- without sleep and without waiting for an answer …
    waited_ms     INTEGER NOT NULL DEFAULT 0,                     -- … which took that long
    parked_until  INTEGER,
    question_id   TEXT,
    question_kind TEXT    CHECK (question_kind IN ('permission', 'input')),
    question      TEXT,
    asked_at      INTEGER,
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
    CHECK (phase <> 'parked' OR parked_until IS NOT NULL),
    CHECK (phase <> 'needs_input' OR question_id IS NOT NULL),
    CHECK ((question_id IS NULL) = (question IS NULL)),
    CHECK (result IS NULL OR ended_at IS NOT NULL),
    CHECK (read_at IS NULL OR ended_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO new_attempt (run_id, n, status, phase, cause, evidence, stop_cause, stop_by, perch_pid, perch_start, agent_pid,
                         agent_start, boot_id, began_mono_ns, began_slept_ns, out_offset, output_bytes, output_sealed, result,
                         result_bytes, created_at, started_at, ended_at, read_at)
SELECT run_id, n, status, phase, cause, evidence, stop_cause, stop_by, perch_pid, perch_start, agent_pid,
       agent_start, boot_id, began_mono_ns, began_slept_ns, out_offset, output_bytes, output_sealed, result,
       result_bytes, created_at, started_at, ended_at, read_at
  FROM attempt;

DROP TABLE attempt;
ALTER TABLE new_attempt RENAME TO attempt;

CREATE INDEX attempt_live   ON attempt (run_id) WHERE ended_at IS NULL;
CREATE INDEX attempt_unread ON attempt (run_id) WHERE ended_at IS NOT NULL AND read_at IS NULL;
CREATE INDEX attempt_unsealed ON attempt (run_id) WHERE ended_at IS NOT NULL AND output_sealed = 0;
CREATE INDEX attempt_queue ON attempt (created_at, run_id) WHERE status = 'queued';

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

CREATE TABLE new_notice (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt       INTEGER NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('ended', 'needs_input')),
    sequence      INTEGER NOT NULL,
    owner         TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    acked_at      INTEGER,
    UNIQUE (run_id, attempt, kind, sequence)
) STRICT;

INSERT INTO new_notice SELECT * FROM notice;
DROP TABLE notice;
ALTER TABLE new_notice RENAME TO notice;
CREATE INDEX notice_pending ON notice (owner, id) WHERE acked_at IS NULL;

-- What somebody said to a live attempt. Delivered when `sent` has a line of the key 'message:<id>'.
CREATE TABLE message (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt       INTEGER NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('words', 'allow', 'deny', 'answer')),
    question_id   TEXT,
    body          TEXT    NOT NULL,
    sender        TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    CHECK ((kind = 'words') = (question_id IS NULL))
) STRICT;

CREATE INDEX message_by_run ON message (run_id, attempt, id);

-- What was written to an attempt's standard input, in order; a line is written to the file `in.<n>` once it is here.
CREATE TABLE sent (
    run_id        TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt       INTEGER NOT NULL,
    n             INTEGER NOT NULL,
    key           TEXT    NOT NULL,
    line          TEXT,                                           -- NULL: the end of the input
    PRIMARY KEY (run_id, attempt, n),
    UNIQUE (run_id, attempt, key)
) STRICT, WITHOUT ROWID;

-- What an owner's runs used on a day (UTC).
CREATE TABLE spend (
    owner         TEXT    NOT NULL,
    day           TEXT    NOT NULL,
    tokens        INTEGER NOT NULL,
    cost_micros   INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;
