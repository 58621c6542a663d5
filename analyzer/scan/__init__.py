"""Many patterns over many bytes: says where in a block a pattern may match, never what it means."""

from analyzer.scan.scanner import Scanner, build_scanner

__all__ = ["Scanner", "build_scanner"]
