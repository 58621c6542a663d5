"""What a node hands in. Runs where the analyzer does not: Python 3.9 and, for some facts, psutil; nothing else."""
