"""Parsing of packs: from YAML text to typed signals and rules."""
