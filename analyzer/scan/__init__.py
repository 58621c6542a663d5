"""Searches blocks of bytes for many patterns: where in a block a pattern may match, never what a match means."""

from analyzer.scan.pattern_check import find_fault
from analyzer.scan.scanner import Scanner, build_scanner

__all__ = ["Scanner", "build_scanner", "find_fault"]
