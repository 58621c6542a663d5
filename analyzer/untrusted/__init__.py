"""Documents and numbers that strangers wrote: read within bounds, and refused with one kind of error.

Nothing else in the package calls `json.loads`, `yaml` or `ast.literal_eval` on what a bundle holds.
"""
