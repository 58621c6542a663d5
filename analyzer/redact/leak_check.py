"""Check an output before anything is written: it may hold no original name, in none of its variants."""

from __future__ import annotations

import re

from analyzer.errors import AnalyzerError
from analyzer.redact.rename import Renaming

# The page's own style, which holds no data: a host may be called `8pt`. Text of a bundle is escaped and begins none.
_STYLES = re.compile(r"<style\b[^>]{0,200}>[^<]*</style>")
_POLICY_DIGESTS = re.compile(r"'sha256-[A-Za-z0-9+/=]{44}'")  # of our scripts and styles, in a report's policy


def check_clean(output: str, renaming: Renaming) -> None:
    """Raise AnalyzerError with the first few originals that `output` still holds."""
    leaked = list(dict.fromkeys(renaming.find_originals(_STYLES.sub("", _POLICY_DIGESTS.sub("", output)))))
    if leaked:
        raise AnalyzerError(
            f"redaction failed: the output would still contain {', '.join(map(repr, leaked[:3]))}; nothing was written",
            "Please report this. Until it is fixed, --redact-word with that string may help.",
        )
