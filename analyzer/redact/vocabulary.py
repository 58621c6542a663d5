"""The words of the report itself. They are no names to hide: a machine called `worker` would be hidden in every
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

ROLES = frozenset(
    """
    chief cluster container controller coordinator daemon data dispatcher evaluator head host job kernel
    launcher local localhost log login logs main master node none null out pod ps rank root run server slurm
    system task tensorflow test train training trainer unknown worker workers
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[a-z][\w-]*", re.I)
_PART = re.compile(r"[a-z][a-z0-9]*")
_LITERAL = re.compile(r'"([^"\\\n]{3,400})"')
_LOG_CALL = re.compile(r"\b_log\.(?:info|debug)\((?:[^()\"]|\"[^\"\n]*\"|\([^()]*\))*\)")
SENTENCE_PACKAGES = (
    "assembly",
    "cli",
    "diagnosis",
    "facts",
    "history",
    "report",
    "samples",
    "timeline",
)  # of sentences


def list_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of the texts (fixed texts of packs and templates) in lower case, and the names of roles.

    A compound counts as a whole and in its parts, because a name is found in each part of a compound.
    """
    words = {word.lower() for text in texts for word in _WORD.findall(text)}
    return ROLES.union(words, *(_PART.findall(word) for word in words if not word.isalnum()))


def program_words(package: Path) -> frozenset[str]:
    """Return the words of the sentences in the source of the packages that write some; log messages are none of them.

    A report is full of these words, and they identify no one.
    """
    sources = (path.read_text("utf-8") for part in SENTENCE_PACKAGES for path in sorted((package / part).rglob("*.py")))
    return list_words(text for source in sources for text in _LITERAL.findall(_LOG_CALL.sub("", source)))
