"""The scheduler under a week of jobs, in virtual time: figures beside plain FIFO, and a picture."""
