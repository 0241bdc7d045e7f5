"""The controller's memory: one SQLite file, one writer."""
