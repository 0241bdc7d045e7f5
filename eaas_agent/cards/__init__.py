"""The ways a node learns about its cards, behind one port."""
