"""What the console knows and says: values and pure functions, no terminal."""
