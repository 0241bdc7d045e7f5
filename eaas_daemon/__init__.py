"""The controller: decides, remembers, serves."""
