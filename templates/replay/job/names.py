"""Names that do not exist: a fault looks for them and fails.

They are made anew in each process, so that nobody can have put anything there. No name of a log is looked for, opened
or loaded: it may be a trap.
"""

from __future__ import annotations

import secrets

_ANEW = secrets.token_hex(8)
LIBRARY = f"libreplay-missing-{_ANEW}.so.1"
RECORDS = f"replay-{_ANEW}.tfrecord"
HOST = "no-such-host.invalid"  # RFC 6761: no resolver may know it
