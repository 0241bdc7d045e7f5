-- Version 4: every start of the controller is a life. How far each came tells an agent whether the
-- controller that speaks to it has the one it obeyed before in its past, or is an older copy.

CREATE TABLE lives (
    id TEXT PRIMARY KEY,
    began_at REAL NOT NULL,
    last_seq INTEGER -- NULL: it goes on, or nobody has started since
) WITHOUT ROWID;
