"""Asks the OSV database (osv.dev) in one request what is known against the locked versions.

    python -m tests.supply_chain.advisories [LOCK…] [--database URL]

Exit status 1 where something is; where the database cannot be reached that is said, and nothing was checked.
API: https://google.github.io/osv.dev/post-v1-querybatch/
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tests.supply_chain.lock import ROOT, Pin, read_lock

DATABASE = "https://api.osv.dev/v1/querybatch"
PATIENCE = 10  # seconds


def ask(pins: Sequence[Pin], database: str) -> dict[str, list[str]]:
    """Advisories by `name==version`. Raises OSError or ValueError where there is no answer."""
    queries = [{"package": {"name": pin.name, "ecosystem": "PyPI"}, "version": pin.version} for pin in pins]
    request = urllib.request.Request(database, json.dumps({"queries": queries}).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        results = json.load(answer)["results"]
    return {
        f"{pin.name}=={pin.version}": [each["id"] for each in result["vulns"]]
        for pin, result in zip(pins, results, strict=True)
        if result.get("vulns")
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("locks", nargs="*", type=Path, default=[ROOT / "requirements.lock"])
    parser.add_argument("--database", default=DATABASE)
    given = parser.parse_args()
    pins = [pin for lock in given.locks for pin in read_lock(lock)]
    try:
        found = ask(pins, given.database)
    except (OSError, ValueError, KeyError) as error:
        print(f"advisories: not checked, the database cannot be reached ({error})")
        return 0
    for package, names in found.items():
        print(f"advisories: {package}: {', '.join(names)}")
    print(f"advisories: {len(found)} of {len(pins)} packages have some")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
