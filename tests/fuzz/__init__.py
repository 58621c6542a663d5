"""Fuzzing: seeds, spoiled at random or led by coverage, and the promises that hold for any bytes."""

from __future__ import annotations
