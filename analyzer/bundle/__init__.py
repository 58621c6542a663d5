"""Archives, folders and files as one stream of members: safely, in one pass, in constant memory."""

from analyzer.bundle.input_files import InputFile, list_input_files
from analyzer.bundle.meter import ReadObserver
from analyzer.bundle.names import group_rotations, log_names, rotation_key
from analyzer.bundle.opener import is_archive, open_bundle, open_input_files
from analyzer.bundle.remote import Input, RemoteFile, Url, local_path, parse_input
from analyzer.bundle.spool import Spooled, spool_member
from analyzer.bundle.types import (
    DEFAULT_LIMITS,
    LIMIT_RANGES,
    STOPPED_REASON,
    BundleLimits,
    DamageError,
    LimitReachedError,
    Loss,
    Member,
    Readable,
    StoppedError,
)

__all__ = [
    "DEFAULT_LIMITS",
    "LIMIT_RANGES",
    "STOPPED_REASON",
    "BundleLimits",
    "DamageError",
    "Input",
    "InputFile",
    "LimitReachedError",
    "Loss",
    "Member",
    "ReadObserver",
    "Readable",
    "RemoteFile",
    "Spooled",
    "StoppedError",
    "Url",
    "group_rotations",
    "is_archive",
    "list_input_files",
    "local_path",
    "log_names",
    "open_bundle",
    "open_input_files",
    "parse_input",
    "rotation_key",
    "spool_member",
]
