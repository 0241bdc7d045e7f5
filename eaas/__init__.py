"""What every part of Mini EaaS shares: the words, the wire, the client library, the command line."""
