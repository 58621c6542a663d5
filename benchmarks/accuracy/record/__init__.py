"""Records runs of real training jobs: rows of a table say what is run where, what goes wrong, and what is then true."""
