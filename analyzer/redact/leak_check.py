"""The last look before anything is handed out: no original may be left, in any of its forms."""

from __future__ import annotations

import re

from analyzer.errors import AnalyzerError
from analyzer.redact.rename import Renaming

_POLICY_DIGESTS = re.compile(r"'sha256-[A-Za-z0-9+/=]{44}'")  # of our scripts and styles, in a report's policy


def check_clean(output: str, renaming: Renaming) -> None:
    """Raises AnalyzerError that names the first few originals that are still in `output`."""
    leaked = list(dict.fromkeys(renaming.find_originals(_POLICY_DIGESTS.sub("", output))))
    if leaked:
        raise AnalyzerError(
            f"redaction failed: the output would still hold {', '.join(map(repr, leaked[:3]))}; nothing was written",
            "Please report this; naming the string with --redact-word may help meanwhile.",
        )
