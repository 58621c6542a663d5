"""Searches blocks of bytes for many patterns: where in a block a pattern may match, never what a match means."""

from analyzer.scan.automaton import NUMBER_BITS, NUMBER_MASK
from analyzer.scan.pattern_check import find_fault
from analyzer.scan.scanner import Scanner, build_scanner, unpack_hit

__all__ = ["NUMBER_BITS", "NUMBER_MASK", "Scanner", "build_scanner", "find_fault", "unpack_hit"]
