"""The console: an operator's full-screen view of the pool."""
