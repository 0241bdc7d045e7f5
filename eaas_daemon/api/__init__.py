"""What people and programs ask over HTTP."""
