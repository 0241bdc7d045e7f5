"""The full-screen views, and the forms above them."""
