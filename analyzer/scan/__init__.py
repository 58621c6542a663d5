"""Many patterns over many bytes: says where in a block a pattern may match, never what it means."""

from analyzer.scan.scanner import Scanner, build_scanner
from analyzer.scan.weight import find_fault

__all__ = ["Scanner", "build_scanner", "find_fault"]
