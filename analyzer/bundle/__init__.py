"""Archives, folders and files as one stream of members: safe, in one pass, in constant memory."""

from analyzer.bundle.intake import open_bundle
from analyzer.bundle.names import group_rotations, rotation_key
from analyzer.bundle.spool import Spooled, spool
from analyzer.bundle.types import DEFAULT_LIMITS, DamageError, LimitReachedError, Limits, Loss, Member, Readable

__all__ = [
    "DEFAULT_LIMITS",
    "DamageError",
    "LimitReachedError",
    "Limits",
    "Loss",
    "Member",
    "Readable",
    "Spooled",
    "group_rotations",
    "open_bundle",
    "rotation_key",
    "spool",
]
