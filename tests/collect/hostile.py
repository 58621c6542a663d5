"""A user's folder on a machine where root collects, and what that user may put there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

USER = 65534  # `nobody`; any user but root does
SECRET = b"for the eyes of root\n"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have secrets of root and files of a user")


def make_folder(path: Path, mode: int = 0o755, owner: int = USER) -> Path:
    path.mkdir()
    path.chmod(mode)
    os.chown(path, owner, owner)
    return path


def make_file(path: Path, text: str = "step 1\n", mode: int = 0o600, owner: int = USER) -> Path:
    path.write_text(text)
    path.chmod(mode)
    os.chown(path, owner, owner)
    return path


def make_link(path: Path, target: str | Path, owner: int = USER) -> Path:
    path.symlink_to(target)
    os.lchown(path, owner, owner)
    return path
