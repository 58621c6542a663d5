"""The words of the report itself: a machine called `worker` is nobody, and its name stands in every sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

ROLES = frozenset(
    """
    chief cluster container controller coordinator daemon data dispatcher evaluator head host job kernel
    launcher local localhost log login logs main master node none null out pod ps rank root run server slurm
    system task tensorflow test train training trainer unknown worker workers
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[a-z][\w-]*", re.I)


def own_words(texts: Iterable[str]) -> frozenset[str]:
    """In lower case, of the packs' and templates' fixed texts, and the names of roles."""
    return ROLES.union(word.lower() for text in texts for word in _WORD.findall(text))
