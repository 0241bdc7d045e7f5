"""Messages between the programs: one file per direction, tolerant of fields it does not know."""
