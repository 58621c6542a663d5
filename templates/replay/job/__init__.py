"""The job that worker.py starts: its training, its faults, and the places and processes of its tasks."""
