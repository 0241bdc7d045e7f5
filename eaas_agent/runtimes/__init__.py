"""The ways a node can run an attempt, behind one port."""
