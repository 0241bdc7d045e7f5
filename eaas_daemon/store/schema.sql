-- The controller's memory, version 1. Indexed columns are copies of what the body says; the body
-- (MessagePack) is the truth. What must never happen is refused here, not only in the code.

CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    next_number INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    created_at REAL NOT NULL
);

CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    user TEXT NOT NULL,
    name TEXT,
    pool TEXT NOT NULL,
    queue TEXT NOT NULL,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    created_at REAL NOT NULL,
    finished_at REAL,
    ended INTEGER NOT NULL,
    body BLOB NOT NULL
);

-- What has not ended stands in one small index that answers every filter by itself. History, which
-- is large and still, has an index for each; the number is the last part of all of them.
CREATE INDEX jobs_open ON jobs (number, state, user, pool, queue) WHERE ended = 0;
CREATE INDEX jobs_ended_by_state ON jobs (state) WHERE ended = 1;
CREATE INDEX jobs_ended_by_user ON jobs (user, state) WHERE ended = 1;
CREATE INDEX jobs_ended_by_pool ON jobs (pool, state) WHERE ended = 1;
CREATE INDEX jobs_ended_by_queue ON jobs (pool, queue, state) WHERE ended = 1;

CREATE TABLE attempts (
    job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    node TEXT NOT NULL,
    state TEXT NOT NULL,
    live INTEGER NOT NULL,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX one_live_attempt ON attempts (job) WHERE live = 1;

CREATE TABLE claims (
    id INTEGER PRIMARY KEY,
    node TEXT NOT NULL,
    card TEXT NOT NULL,
    job TEXT NOT NULL REFERENCES jobs (uid) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    claimed_at REAL NOT NULL,
    released_at REAL
);

CREATE UNIQUE INDEX one_claim_a_card ON claims (node, card) WHERE released_at IS NULL;
CREATE INDEX claims_by_job ON claims (job);

CREATE TABLE keys (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    jobs BLOB NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (user, key)
);

CREATE INDEX keys_by_age ON keys (at);

CREATE TABLE spools (
    spool_id TEXT PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    CHECK (first_seq <= last_seq)
) WITHOUT ROWID;

CREATE TRIGGER no_fact_twice BEFORE UPDATE ON spools WHEN NEW.first_seq <= OLD.last_seq
BEGIN
    SELECT RAISE(ABORT, 'spool sequence repeated');
END;

CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    job INTEGER,
    node TEXT,
    user TEXT,
    data BLOB
);

CREATE INDEX journal_by_job ON journal (job) WHERE job IS NOT NULL;

CREATE TABLE nodes (
    name TEXT PRIMARY KEY,
    uid TEXT NOT NULL,
    body BLOB NOT NULL
);

CREATE TABLE pools (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE pool_members (
    pool TEXT NOT NULL REFERENCES pools (name) ON DELETE CASCADE,
    node TEXT NOT NULL,
    cards BLOB, -- NULL: the whole node
    PRIMARY KEY (pool, node)
) WITHOUT ROWID;

CREATE TABLE queues (
    pool TEXT NOT NULL REFERENCES pools (name) ON DELETE CASCADE,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (pool, name)
);
