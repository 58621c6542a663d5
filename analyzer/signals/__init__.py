"""Signals and their compiled patterns: what the reader searches for and rules are written about."""
