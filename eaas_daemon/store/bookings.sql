-- Version 6: cards are booked. The body (MessagePack) is the truth; no number is given out twice.

CREATE TABLE bookings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body BLOB NOT NULL
);
