"""How a program is set up: file, variables, options, and where every value came from."""
