"""Asks the OSV database (osv.dev) in one request what is known against the locked versions.

    python -m tests.supply_chain.advisories [LOCK…] [--database URL]

Says of when the data is. Exit status 1 where something is known. Where the database gives no answer that is said: then
nothing was checked, for there is no other data.
API: https://google.github.io/osv.dev/post-v1-querybatch/
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from tests.supply_chain.lock import ROOT, Pin, read_lock

DATABASE = "https://api.osv.dev/v1/querybatch"
PATIENCE = 10  # seconds


def ask(pins: Sequence[Pin], database: str) -> tuple[dict[str, list[str]], datetime]:
    """Advisories by `name==version`, and the time of the answer. Raises OSError or ValueError where there is none."""
    queries = [{"package": {"name": pin.name, "ecosystem": "PyPI"}, "version": pin.version} for pin in pins]
    request = urllib.request.Request(database, json.dumps({"queries": queries}).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        results, date = json.load(answer)["results"], answer.headers["Date"]
    advisories = {
        f"{pin.name}=={pin.version}": [advisory["id"] for advisory in result["vulns"]]
        for pin, result in zip(pins, results, strict=True)
        if result.get("vulns")
    }
    return advisories, parsedate_to_datetime(date) if date else datetime.now(UTC)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("locks", nargs="*", type=Path, default=sorted(ROOT.glob("requirements*.lock")))
    parser.add_argument("--database", default=DATABASE)
    given = parser.parse_args()
    pins = list({(pin.name, pin.version): pin for lock in given.locks for pin in read_lock(lock)}.values())
    try:
        advisories, date = ask(pins, given.database)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"advisories: NOT CHECKED: {given.database} gives no answer ({error}), and there is no other data")
        return 0
    for package, names in advisories.items():
        print(f"advisories: {package}: {', '.join(names)}")
    when = f"{date.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    print(f"advisories: {len(advisories)} of {len(pins)} packages have some, by {given.database} of {when}")
    return 1 if advisories else 0


if __name__ == "__main__":
    sys.exit(main())
