"""Checks on packs beyond their syntax."""
