"""Archives, folders and files as one stream of members: safe, in one pass, in constant memory."""

from analyzer.bundle.intake import Place, list_places, open_bundle, open_places
from analyzer.bundle.names import group_rotations, rotation_key
from analyzer.bundle.spool import Spooled, spool
from analyzer.bundle.types import (
    DEFAULT_LIMITS,
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
    "DamageError",
    "LimitReachedError",
    "Limits",
    "Loss",
    "Member",
    "Place",
    "Readable",
    "Spooled",
    "StoppedError",
    "group_rotations",
    "list_places",
    "open_bundle",
    "open_places",
    "rotation_key",
    "spool",
]
