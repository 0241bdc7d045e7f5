"""Where job logs are kept."""
