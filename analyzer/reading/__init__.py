"""Reads one text member of a bundle into events, in one pass and constant memory."""

from analyzer.bundle.peek import Peekable
from analyzer.reading.plan import ReadPlan, build_plan
from analyzer.reading.source_reader import read_source
from analyzer.reading.source_result import SourceResult

__all__ = ["Peekable", "ReadPlan", "SourceResult", "build_plan", "read_source"]
