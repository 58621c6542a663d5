"""Flight data: a program run under watch. As small in its needs as `collect`: Python 3.9 and psutil."""
