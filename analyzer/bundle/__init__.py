"""Archives, folders and files as one stream of members: safe, in one pass, in constant memory."""

from analyzer.bundle.intake import is_archive, open_bundle, open_places
from analyzer.bundle.meter import Watcher
from analyzer.bundle.names import group_rotations, rotation_key
from analyzer.bundle.places import Place, list_places
from analyzer.bundle.remote import Input, Remote, Url, find_local, parse_input
from analyzer.bundle.spool import Spooled, spool
from analyzer.bundle.types import (
    DEFAULT_LIMITS,
    RANGES,
    STOPPED,
    DamageError,
    LimitReachedError,
    Limits,
    Loss,
    Member,
    Readable,
    StoppedError,
)

__all__ = [
    "DEFAULT_LIMITS",
    "RANGES",
    "STOPPED",
    "DamageError",
    "Input",
    "LimitReachedError",
    "Limits",
    "Loss",
    "Member",
    "Place",
    "Readable",
    "Remote",
    "Spooled",
    "StoppedError",
    "Url",
    "Watcher",
    "find_local",
    "group_rotations",
    "is_archive",
    "list_places",
    "open_bundle",
    "open_places",
    "parse_input",
    "rotation_key",
    "spool",
]
