"""Measurements of the real programs over real sockets, each beside what it is compared with."""
