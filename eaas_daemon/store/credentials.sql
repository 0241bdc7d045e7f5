-- Version 2: what the controller keeps of tokens. The body (MessagePack) has a hash of the secret.

CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    body BLOB NOT NULL
) WITHOUT ROWID;
