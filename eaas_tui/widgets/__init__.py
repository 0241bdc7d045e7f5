"""What is drawn: widgets that draw what they are given and ask nothing."""
