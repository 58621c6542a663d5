"""Prints the licences of all that the program installs, as LICENCES.md keeps them.

python -m tests.supply_chain.licences > LICENCES.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata

from packaging.markers import Marker

from tests.supply_chain.lock import ROOT, read_lock

HEAD = """\
# Licences of the dependencies

Made by `make lock` from what the packages say of themselves. The program itself is under the Apache License 2.0.

| package | version | licence |
|---|---|---|
"""


def licence_of(name: str) -> str:
    """Its SPDX expression, else the words of its classifiers, else of the old field."""
    fields = metadata.metadata(name)
    classifiers = [
        classifier.rpartition(" :: ")[2]
        for classifier in fields.get_all("Classifier") or ()
        if "License ::" in classifier
    ]
    return str(
        fields.get("License-Expression") or ", ".join(classifiers) or (fields.get("License") or "").partition("\n")[0]
    )


def list_licences() -> Iterator[tuple[str, str, str]]:
    for pin in read_lock(ROOT / "requirements.lock"):
        if not pin.marker or Marker(pin.marker).evaluate():  # of another system's package nothing is installed to ask
            yield pin.name, pin.version, licence_of(pin.name)


def render() -> str:
    return HEAD + "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in list_licences())


if __name__ == "__main__":
    sys.stdout.write(render())
