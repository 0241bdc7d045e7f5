"""Who the controller is, to those who come from elsewhere."""
