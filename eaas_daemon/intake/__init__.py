"""The watched folders: job files that people drop are taken, answered beside, and followed."""
