"""Earlier incidents, stored in an SQLite file and matched by their signatures."""

from analyzer.history.match import write_record
from analyzer.history.recall import recall
from analyzer.history.record import IncidentRecord, Note
from analyzer.history.store import DATABASE_FILE, HistoryStore, open_store

__all__ = ["DATABASE_FILE", "HistoryStore", "IncidentRecord", "Note", "open_store", "recall", "write_record"]
