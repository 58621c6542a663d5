"""Readers for documents and numbers from a bundle, which are not trusted: bounded, and with one kind of error.

Nothing else in the package calls `json.loads`, `yaml` or `ast.literal_eval` on what a bundle holds.
"""
