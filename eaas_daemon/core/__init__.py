"""The pure core: values and functions; no clock, file, socket, log or await."""
