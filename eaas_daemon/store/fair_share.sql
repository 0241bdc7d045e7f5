-- Version 3: pools have settings, and fair share asks which claims ended lately.

ALTER TABLE pools ADD COLUMN body BLOB; -- MessagePack; NULL: nothing was ever set

CREATE INDEX claims_by_release ON claims (released_at);
