"""The node agent: runs jobs and tells the truth about every card."""
