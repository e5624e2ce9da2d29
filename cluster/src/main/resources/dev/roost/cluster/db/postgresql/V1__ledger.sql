-- The ledger of several machines: the tables of the embedded one, and what nodes need to share them.
-- Times are milliseconds since 1970 in UTC by the clock of the node that writes; leases, and until when a run is parked, go by the database's own.

CREATE TABLE run (
    id              TEXT COLLATE "C" PRIMARY KEY CHECK (id LIKE 'r\_%'),
    name            TEXT COLLATE "C",
    owner           TEXT COLLATE "C" NOT NULL CHECK (owner LIKE '_%:_%'),
    agent           TEXT   NOT NULL,
    driver          TEXT   NOT NULL,
    description     TEXT   NOT NULL,
    cwd             TEXT   NOT NULL,
    max_time_ms     BIGINT CHECK (max_time_ms > 0),
    max_output      BIGINT NOT NULL CHECK (max_output > 0),
    on_loss         TEXT   NOT NULL CHECK (on_loss IN ('resume', 'report')),
    attempt         INTEGER NOT NULL CHECK (attempt >= 1),          -- the latest
    created_at      BIGINT NOT NULL,
    depth           INTEGER NOT NULL DEFAULT 1 CHECK (depth >= 1),
    parent          TEXT,
    session_id      TEXT COLLATE "C",                               -- the agent's own id of the conversation
    profile         TEXT   NOT NULL DEFAULT '{}',
    max_tokens      BIGINT CHECK (max_tokens > 0),
    max_cost_micros BIGINT CHECK (max_cost_micros > 0),
    max_turns       BIGINT CHECK (max_turns > 0),
    notify          TEXT   NOT NULL DEFAULT 'done' CHECK (notify IN ('done', 'changes', 'silent')),
    call_key        TEXT,
    holder          TEXT COLLATE "C" NOT NULL DEFAULT ''            -- the node that has its files
);

CREATE INDEX run_by_owner ON run (owner, id);
CREATE INDEX run_by_name ON run (name) WHERE name IS NOT NULL;
CREATE INDEX run_by_session ON run (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX run_by_call ON run (call_key) WHERE call_key IS NOT NULL;

-- What lives is written to all the time and stays small; what has ended moves to a table of its own when it does.
CREATE TABLE attempt (
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    n               INTEGER NOT NULL CHECK (n >= 1),
    turn            INTEGER NOT NULL DEFAULT 1 CHECK (turn >= 1),   -- a message to an ended run begins another
    status          TEXT   NOT NULL CHECK (status IN
                      ('queued', 'running', 'completed', 'completed_empty', 'failed', 'canceled_by_user', 'abandoned')),
    phase           TEXT,
    cause           TEXT   CHECK (cause IN
                      ('finished', 'agent_error', 'refused', 'permission_denied', 'exit_code', 'signal', 'cut_short',
                       'out_of_memory', 'spawn_failed', 'budget_time', 'budget_tokens', 'budget_cost', 'budget_turns',
                       'budget_output', 'budget_day', 'budget_quiet', 'stopped', 'host_reboot', 'perch_lost', 'worker_lost',
                       'rate_limited', 'over_capacity')),
    evidence        TEXT,
    stop_cause      TEXT,
    stop_by         TEXT,
    perch_pid       BIGINT,
    perch_start     BIGINT,
    agent_pid       BIGINT,
    agent_start     BIGINT,
    boot_id         TEXT,
    began_mono_ns   BIGINT,                                         -- CLOCK_MONOTONIC of that boot
    began_slept_ns  BIGINT,                                         -- how long the machine had slept in that boot
    out_offset      BIGINT NOT NULL DEFAULT 0,                      -- how far `out` was read …
    output_bytes    BIGINT NOT NULL DEFAULT 0,                      -- … and how long that made output.md
    transcript_bytes BIGINT NOT NULL DEFAULT 0,                     -- … and transcript.jsonl
    output_sealed   INTEGER NOT NULL DEFAULT 0 CHECK (output_sealed IN (0, 1)),
    input_tokens    BIGINT NOT NULL DEFAULT 0,
    cached_tokens   BIGINT NOT NULL DEFAULT 0,
    output_tokens   BIGINT NOT NULL DEFAULT 0,
    cost_micros     BIGINT,                                         -- NULL: nobody knows
    turns           BIGINT NOT NULL DEFAULT 0,
    active_ms       BIGINT NOT NULL DEFAULT 0,                      -- without sleep and without waiting for an answer …
    waited_ms       BIGINT NOT NULL DEFAULT 0,                      -- … which took that long
    parked_until    BIGINT,
    question_id     TEXT,
    question_kind   TEXT   CHECK (question_kind IN ('permission', 'input')),
    question        TEXT,
    asked_at        BIGINT,
    result          TEXT,
    result_bytes    BIGINT,
    created_at      BIGINT NOT NULL,
    started_at      BIGINT,
    ended_at        BIGINT,
    read_at         BIGINT,
    call_key        TEXT,                                           -- kept apart by the lock on its run
    node            TEXT COLLATE "C" NOT NULL DEFAULT '',           -- who has it; '' while nobody has
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
) PARTITION BY LIST (status);

CREATE TABLE attempt_live PARTITION OF attempt FOR VALUES IN ('queued', 'running') WITH (fillfactor = 50);
CREATE TABLE attempt_ended PARTITION OF attempt
    FOR VALUES IN ('completed', 'completed_empty', 'failed', 'canceled_by_user', 'abandoned');
ALTER TABLE attempt_live ADD CHECK (ended_at IS NULL);
ALTER TABLE attempt_ended ALTER COLUMN ended_at SET NOT NULL;

-- A run has one live attempt at most, and each attempt one end.
CREATE UNIQUE INDEX attempt_live_once ON attempt_live (run_id);
CREATE UNIQUE INDEX attempt_ended_once ON attempt_ended (run_id, n);
CREATE INDEX attempt_queue ON attempt_live (created_at, run_id) WHERE status = 'queued';
CREATE INDEX attempt_by_node ON attempt_live (node) WHERE status = 'running';
CREATE INDEX attempt_unread ON attempt_ended (run_id) WHERE read_at IS NULL;
CREATE INDEX attempt_unsealed ON attempt_ended (node) WHERE output_sealed = 0;
CREATE INDEX attempt_by_end ON attempt_ended (ended_at);
CREATE INDEX attempt_by_call ON attempt (call_key) WHERE call_key IS NOT NULL;

CREATE FUNCTION keep_the_machine() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL AND (
           NEW.status <> OLD.status OR NEW.cause IS DISTINCT FROM OLD.cause OR NEW.evidence IS DISTINCT FROM OLD.evidence
        OR NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.result IS DISTINCT FROM OLD.result
        OR NEW.result_bytes IS DISTINCT FROM OLD.result_bytes) THEN
        RAISE EXCEPTION 'the end of an attempt is immutable';
    END IF;
    IF NEW.status = 'queued' AND OLD.status <> 'queued' THEN
        RAISE EXCEPTION 'an attempt is queued once';
    END IF;
    IF OLD.status = 'queued' AND NEW.status IN ('completed', 'completed_empty') THEN
        RAISE EXCEPTION 'what never ran cannot have completed';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER keep_the_machine BEFORE UPDATE ON attempt FOR EACH ROW EXECUTE FUNCTION keep_the_machine();

-- Numbers are given at the end of a transaction, under the lock on this row: a later commit has greater ones.
CREATE TABLE happened (
    alone           BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (alone),
    last            BIGINT NOT NULL
) WITH (fillfactor = 10);
INSERT INTO happened (last) VALUES (0);

CREATE TABLE event (
    seq             BIGINT PRIMARY KEY,
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt         INTEGER NOT NULL,
    at              BIGINT NOT NULL,
    kind            TEXT   NOT NULL,
    text            TEXT   NOT NULL,
    node            TEXT COLLATE "C" NOT NULL DEFAULT ''            -- who wrote it
);

CREATE INDEX event_by_run ON event (run_id, seq);

CREATE TABLE pause (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node            TEXT COLLATE "C" NOT NULL DEFAULT '',
    kind            TEXT   NOT NULL CHECK (kind IN ('sleep', 'downtime', 'reboot', 'planned')),
    began_at        BIGINT NOT NULL,
    ended_at        BIGINT,                                         -- NULL: announced, and not over
    CHECK (ended_at IS NOT NULL OR kind = 'planned')
);

CREATE UNIQUE INDEX pause_once ON pause (node, kind, began_at);
CREATE UNIQUE INDEX pause_open ON pause (node) WHERE ended_at IS NULL;

CREATE TABLE pause_remark (
    pause           BIGINT NOT NULL REFERENCES pause (id) ON DELETE CASCADE,
    n               BIGINT NOT NULL,
    failed          INTEGER NOT NULL CHECK (failed IN (0, 1)),
    text            TEXT   NOT NULL,
    PRIMARY KEY (pause, n)
);

CREATE TABLE paused (
    pause           BIGINT NOT NULL REFERENCES pause (id) ON DELETE CASCADE,
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt         INTEGER NOT NULL,
    PRIMARY KEY (pause, run_id)
);

CREATE INDEX paused_by_run ON paused (run_id);

CREATE TABLE notice (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id          TEXT COLLATE "C" REFERENCES run (id) ON DELETE CASCADE,
    attempt         INTEGER,
    pause           BIGINT REFERENCES pause (id) ON DELETE CASCADE,
    kind            TEXT   NOT NULL CHECK (kind IN ('ended', 'needs_input', 'changed', 'pause')),
    sequence        BIGINT NOT NULL,
    owner           TEXT COLLATE "C" NOT NULL,
    created_at      BIGINT NOT NULL,
    acked_at        BIGINT,
    offer           BIGINT,                                         -- the last digest it was in
    UNIQUE (run_id, attempt, kind, sequence),
    UNIQUE (owner, pause),
    CHECK ((kind = 'pause') = (pause IS NOT NULL)),
    CHECK ((kind = 'pause') = (run_id IS NULL)),
    CHECK ((run_id IS NULL) = (attempt IS NULL))
);

CREATE INDEX notice_pending ON notice (owner, id) WHERE acked_at IS NULL;
CREATE INDEX notice_by_offer ON notice (offer) WHERE offer IS NOT NULL;
CREATE INDEX notice_by_pause ON notice (pause) WHERE pause IS NOT NULL;

CREATE TABLE delivery (
    notice          BIGINT NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    channel         TEXT   NOT NULL,
    node            TEXT COLLATE "C" NOT NULL DEFAULT '',           -- who sends it while it lives
    tries           INTEGER NOT NULL,
    next_at         BIGINT,                                         -- NULL: over
    failing_since   BIGINT,                                         -- NULL: no try has failed
    error           TEXT,                                           -- of the last try; NULL: it succeeded
    PRIMARY KEY (notice, channel),
    CHECK ((error IS NULL) OR failing_since IS NOT NULL)
);

CREATE INDEX delivery_due ON delivery (channel, next_at) WHERE next_at IS NOT NULL;

CREATE TABLE message (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt         INTEGER NOT NULL,
    kind            TEXT   NOT NULL CHECK (kind IN ('words', 'allow', 'deny', 'answer')),
    question_id     TEXT,
    body            TEXT   NOT NULL,
    sender          TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    call_key        TEXT,
    CHECK ((kind = 'words') = (question_id IS NULL))
);

CREATE INDEX message_by_run ON message (run_id, attempt, id);
CREATE UNIQUE INDEX message_by_call ON message (call_key) WHERE call_key IS NOT NULL;

CREATE TABLE sent (
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    attempt         INTEGER NOT NULL,
    n               INTEGER NOT NULL,
    key             TEXT   NOT NULL,
    line            TEXT,                                           -- NULL: the end of the input
    PRIMARY KEY (run_id, attempt, n),
    UNIQUE (run_id, attempt, key)
);

-- Each node adds to a row of its own, so that none waits for another.
CREATE TABLE spend (
    owner           TEXT COLLATE "C" NOT NULL,
    day             TEXT COLLATE "C" NOT NULL,
    node            TEXT COLLATE "C" NOT NULL DEFAULT '',
    tokens          BIGINT NOT NULL,
    cost_micros     BIGINT NOT NULL,
    PRIMARY KEY (owner, day, node)
);

CREATE TABLE owner (
    id              TEXT COLLATE "C" PRIMARY KEY CHECK (id LIKE '_%:_%'),
    harness         TEXT   NOT NULL,
    home            TEXT,                                           -- its project's directory
    state           TEXT   NOT NULL CHECK (state IN ('busy', 'idle', 'ended', 'unknown')),
    turn            INTEGER NOT NULL CHECK (turn >= 0),
    fresh           INTEGER NOT NULL CHECK (fresh IN (0, 1)),       -- began, and nobody has said anything yet
    wakes           INTEGER NOT NULL CHECK (wakes >= 0),            -- turns since the user's last that he did not ask for
    prompted_at     BIGINT,
    interrupted_at  BIGINT,
    seen_at         BIGINT NOT NULL,
    pid             BIGINT,                                         -- the harness's process
    pid_start       BIGINT,
    boot_id         TEXT,
    node            TEXT COLLATE "C" NOT NULL DEFAULT '',           -- where it was last heard of
    CHECK ((pid IS NULL) = (pid_start IS NULL) AND (pid IS NULL) = (boot_id IS NULL))
);

CREATE INDEX owner_by_process ON owner (pid, pid_start) WHERE pid IS NOT NULL;

CREATE TABLE offer (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner           TEXT COLLATE "C" NOT NULL,
    turn            INTEGER NOT NULL,
    occasion        TEXT   NOT NULL CHECK (occasion IN ('start', 'prompt', 'tools', 'stop', 'wake')),
    created_at      BIGINT NOT NULL,
    written_at      BIGINT,                                         -- NULL: the harness may never have got it
    acked_at        BIGINT,
    CHECK (acked_at IS NULL OR written_at IS NOT NULL)
);

CREATE INDEX offer_by_turn ON offer (owner, turn);

CREATE TABLE token (
    id              TEXT COLLATE "C" PRIMARY KEY CHECK (id LIKE 't\_%'),
    sha256          TEXT   NOT NULL UNIQUE,
    owner           TEXT   NOT NULL CHECK (owner LIKE '_%:_%'),
    scope           TEXT   NOT NULL,                                -- JSON: agents, directory, path map, caps, launcher
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT,
    used_at         BIGINT
);

CREATE TABLE work (
    run_id          TEXT COLLATE "C" PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    path            TEXT   NOT NULL,
    common          TEXT   NOT NULL,                                -- the repository's common git directory
    base            TEXT   NOT NULL,                                -- the commit it began with
    target          TEXT,                                           -- the branch its caller was on
    origin          TEXT   NOT NULL,                                -- the directory its caller was in
    made_at         BIGINT,                                         -- NULL: there has been none yet
    removed_at      BIGINT,                                         -- NULL: it has not been removed since
    checkpoint      INTEGER,
    rescue_ref      TEXT,
    checkpoint_at   BIGINT,
    pushed          INTEGER NOT NULL DEFAULT 0,                     -- the latest checkpoint that is on the remote for them
    left_out        INTEGER NOT NULL DEFAULT 0 CHECK (left_out >= 0), -- files that are in no checkpoint
    landing         TEXT   CHECK (landing IN ('nothing', 'uncommitted', 'committed', 'pushed', 'pr_open', 'merged')),
    landing_words   TEXT,
    landing_json    TEXT,
    landing_at      BIGINT,
    looked          INTEGER NOT NULL DEFAULT 0,                     -- the attempt after whose end it was looked at
    trouble         TEXT,                                           -- why the last look or checkpoint failed
    CHECK ((checkpoint IS NULL) = (rescue_ref IS NULL) AND (checkpoint IS NULL) = (checkpoint_at IS NULL)),
    CHECK ((landing IS NULL) = (landing_words IS NULL) AND (landing IS NULL) = (landing_json IS NULL)
           AND (landing IS NULL) = (landing_at IS NULL)),
    CHECK (removed_at IS NULL OR made_at IS NOT NULL)
);

-- A machine that takes part. Its lease goes by the database's clock; once it was not heard of for its grace, others take over.
CREATE TABLE node (
    name            TEXT COLLATE "C" PRIMARY KEY CHECK (name ~ '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$'),
    epoch           BIGINT NOT NULL DEFAULT 1,                      -- how often it has joined
    home            TEXT   NOT NULL,                                -- which home on which machine has this name
    version         TEXT   NOT NULL,
    labels          TEXT[] NOT NULL,                                -- agent:claude, repo:…, dir:…, tag:…
    max_live        INTEGER NOT NULL CHECK (max_live >= 0),         -- 0: it begins nothing itself
    settled         BOOLEAN NOT NULL DEFAULT TRUE,                  -- it has looked after what it had, and can be given more
    state           TEXT   NOT NULL CHECK (state IN ('member', 'draining', 'left')),
    moving          BOOLEAN NOT NULL DEFAULT FALSE CHECK (state = 'draining' OR NOT moving), -- what it has is to go elsewhere
    joined_at       TIMESTAMPTZ NOT NULL,
    heard_at        TIMESTAMPTZ NOT NULL,
    steady_since    TIMESTAMPTZ NOT NULL,                           -- since then its lease was never over
    lease_until     TIMESTAMPTZ NOT NULL,
    boot            TEXT NOT NULL,                                  -- which start of which machine its daemon runs on
    grace           INTERVAL NOT NULL                               -- what it has is left to it for so long; its guard goes by that
);

-- The last thing a node has written: who lost his connection while he committed finds out here what became of that.
CREATE TABLE writer (
    node            TEXT COLLATE "C" PRIMARY KEY,
    mark            BIGINT NOT NULL
) WITH (fillfactor = 10);

-- What an attempt is to do; the node that starts it makes its own files of that. Environments may hold secrets.
CREATE TABLE job (
    run_id          TEXT COLLATE "C" NOT NULL,
    attempt         INTEGER NOT NULL,
    needs           TEXT[] NOT NULL,                                -- the labels that a node must have
    wish            TEXT   NOT NULL,                                -- JSON
    PRIMARY KEY (run_id, attempt)
);

-- What somebody must know of this ledger before he uses it: the oldest program that may, and the key that signs tokens.
CREATE TABLE fact (
    name            TEXT   PRIMARY KEY,
    value           TEXT   NOT NULL
);
INSERT INTO fact (name, value) VALUES ('oldest_schema', '1');

-- db-scheduler's own: an execution is an attempt that its node is to start.
CREATE TABLE scheduled_tasks (
    task_name            TEXT COLLATE "C" NOT NULL,
    task_instance        TEXT COLLATE "C" NOT NULL,
    task_data            BYTEA,
    execution_time       TIMESTAMPTZ NOT NULL,
    picked               BOOLEAN NOT NULL,
    picked_by            TEXT,
    last_success         TIMESTAMPTZ,
    last_failure         TIMESTAMPTZ,
    consecutive_failures INT,
    last_heartbeat       TIMESTAMPTZ,
    version              BIGINT NOT NULL,
    priority             SMALLINT,
    PRIMARY KEY (task_name, task_instance)
);

CREATE INDEX scheduled_tasks_due ON scheduled_tasks (execution_time);
CREATE INDEX scheduled_tasks_heartbeat ON scheduled_tasks (last_heartbeat);
