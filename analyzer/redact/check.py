"""The last look before anything is handed out: no original may be left."""

from __future__ import annotations

from analyzer.errors import AnalyzerError
from analyzer.redact.rename import Renaming


def check_clean(output: str, renaming: Renaming) -> None:
    """Raises AnalyzerError that names the first few originals that are still in `output`."""
    if not renaming.names:
        return
    left = list(dict.fromkeys(match[0] for match in renaming.pattern.finditer(output)))
    if left:
        raise AnalyzerError(
            f"redaction failed: the output would still hold {', '.join(map(repr, left[:3]))}; nothing was written",
            "Please report this; naming the string with --redact-word may help meanwhile.",
        )
