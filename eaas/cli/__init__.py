"""The command line: thin commands over the client library."""
