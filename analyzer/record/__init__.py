"""Record the flight data of a program while it runs. Needs no more than `collect`: Python 3.9 and psutil."""
