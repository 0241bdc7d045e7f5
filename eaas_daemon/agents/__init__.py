"""Where agents connect."""
