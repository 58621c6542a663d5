"""Writers with two names, their own and that of their machine, as one stream: `trainer-0 on gpu17`.

Neither name alone need be unique: a container may be called the same on each machine, and a machine has several pods.
"""

from __future__ import annotations

_ON = " on "  # no format reads a name with blanks, so that no other stream looks like a pair


def stream_of_pair(name: str, machine: str) -> str:
    """Return the stream of a pod or container on a machine."""
    return f"{name}{_ON}{machine}"


def split_pair(stream: str) -> tuple[str, str] | None:
    """Return name and machine of a stream that `stream_of_pair` made, or None. Inner parts are left out."""
    name, on, machine = stream.partition("/")[0].partition(_ON)
    return (name, machine) if on else None
