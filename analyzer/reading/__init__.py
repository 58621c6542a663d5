"""One text member of a bundle into events: one pass, constant memory."""

from analyzer.bundle.peek import Peekable
from analyzer.reading.plan import Plan, build_plan
from analyzer.reading.result import SourceResult
from analyzer.reading.source import read_source

__all__ = ["Peekable", "Plan", "SourceResult", "build_plan", "read_source"]
