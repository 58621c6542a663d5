"""Packs as a whole: the user's packs, their merge, and their cache."""
