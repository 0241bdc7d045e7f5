"""What Prometheus scrapes: the state as it stands, and what was counted since the start."""
