"""Files whose bytes were changed on their way by programs that mean well."""

from __future__ import annotations

import random

from accuracy.collectors import Files
from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._files import is_text


def mix_endings(files: Files, case: Case, chance: random.Random) -> Files:
    """Some files have CR LF, some have both: parts of them went through an editor or a shell of Windows."""
    changed = dict(files)
    for path, content in files.items():
        how = chance.choice(("none", "all", "part"))
        if how == "none" or not is_text(path, content):
            continue
        lines = content.split(b"\n")
        first, last = (0, len(lines) - 1) if how == "all" else sorted(chance.choices(range(len(lines)), k=2))
        lines[first:last] = [line if line.endswith(b"\r") else line + b"\r" for line in lines[first:last]]
        changed[path] = b"\n".join(lines)
    return changed


DISTURBANCES = (Disturbance("mixed-endings", "contents", spoil=mix_endings),)
