"""A block goes on over the empty lines that an export leaves between its records, and ends at those of a program."""

from __future__ import annotations

import json
from pathlib import Path

from analyzer import analyze

TRACE = [
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3/site-packages/tensorflow/python/eager/context.py", line 604, in ensure_initialized',
    "    pywrap_tfe.TFE_EnableCollectiveOps(context_handle, server_def_str)",
    "tensorflow.python.framework.errors_impl.UnavailableError: failed to connect to all addresses",
]


def test_records_over_several_lines(tmp_path: Path) -> None:
    records = [{"timestamp": 1678909046276 + n, "message": line} for n, line in enumerate(TRACE)]
    (tmp_path / "algo-1.json").write_text(json.dumps(records, indent=1))
    causes = {finding.cause for finding in analyze(tmp_path).incident.findings}
    assert "user.code-error" not in causes
