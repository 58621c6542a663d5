"""What happened before: incidents remembered in an SQLite file, matched by their signatures."""

from analyzer.history.match import brief
from analyzer.history.recall import recall
from analyzer.history.record import Note, Record
from analyzer.history.store import FILE, Store, open_store

__all__ = ["FILE", "Note", "Record", "Store", "brief", "open_store", "recall"]
