-- The agent's memory: what it accepted, what it still has to tell, what was ever here.

CREATE TABLE IF NOT EXISTS meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Attempts not yet forgotten; body is the attempt in MessagePack.
CREATE TABLE IF NOT EXISTS attempts (
    uid TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (uid, attempt)
) WITHOUT ROWID;

-- Facts by sequence, without gaps; acknowledged ones stay a while for a controller out of a backup.
CREATE TABLE IF NOT EXISTS spool (
    seq INTEGER PRIMARY KEY,
    fact BLOB NOT NULL
);

-- Every job that was ever here, long after its attempts are forgotten: the fence against
-- starting one twice, and the keeping time of its workspace.
CREATE TABLE IF NOT EXISTS jobs (
    uid TEXT PRIMARY KEY,
    highest INTEGER NOT NULL,
    keep_s REAL NOT NULL,
    touched_at REAL NOT NULL,
    ended_at REAL,
    expires_at REAL NOT NULL,
    has_workspace INTEGER NOT NULL DEFAULT 1
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS jobs_by_expiry ON jobs (expires_at) WHERE has_workspace = 1;
CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (ended_at) WHERE has_workspace = 1;
CREATE INDEX IF NOT EXISTS jobs_without ON jobs (touched_at) WHERE has_workspace = 0;
