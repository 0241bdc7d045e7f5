"""What cards did: the last while of every node in memory, and every run on the disk."""
