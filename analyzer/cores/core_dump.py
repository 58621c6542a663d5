"""The words of an element of `cores` in incident.json, by which those who read one decide: each stands here alone."""

from __future__ import annotations

from typing import Any, Literal

Json = dict[str, Any]  # an object of it
Core = Json  # the whole

ModuleStatus = Literal["verified", "header-match", "path-only", "mismatch", "missing"]
TRUSTED_STATUSES: tuple[ModuleStatus, ...] = ("verified", "header-match")  # the file is surely the one that was mapped

UnwindMethod = Literal["context", "cfi", "frame-pointer", "scan"]  # a frame was found
END_OF_STACK = "end of stack"  # why a stack stops that is whole
