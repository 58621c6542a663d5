"""Searches blocks of bytes for many patterns: where in a block a pattern may match, never what a match means."""

from analyzer.scan.automaton import NUMBER_BITS, NUMBER_MASK
from analyzer.scan.digits import is_blind_beyond_match, is_digit_blind
from analyzer.scan.line_memo import NO_HITS, NO_TEMPLATE, HitArrays, LineMemo, join_hits
from analyzer.scan.pattern_check import find_fault
from analyzer.scan.scanner import Scanner, build_scanner, unpack_hit
from analyzer.scan.suffixes import widen_to_suffixes

__all__ = [
    "NO_HITS",
    "NO_TEMPLATE",
    "NUMBER_BITS",
    "NUMBER_MASK",
    "HitArrays",
    "LineMemo",
    "Scanner",
    "build_scanner",
    "find_fault",
    "is_blind_beyond_match",
    "is_digit_blind",
    "join_hits",
    "unpack_hit",
    "widen_to_suffixes",
]
