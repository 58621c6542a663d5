"""Every dependency is pinned with its hashes, under a licence that is known, and can be checked for advisories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata

import pytest

from tests.supply_chain.licences import list_licences, render
from tests.supply_chain.lock import ROOT, read_lock

# Words of licences that allow use and copying in a program under the Apache License; none of them asks for its source.
PERMISSIVE = re.compile(r"MIT|BSD|0BSD|ISC|Apache|PSF|CNRI|Zlib|CC0|[Pp]ublic [Dd]omain")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_pin_has_hashes(lock: str) -> None:
    pins = list(read_lock(ROOT / lock))
    assert len(pins) > 15
    assert [pin.name for pin in pins if not pin.hashes] == []


def test_the_lock_holds_all_that_is_asked_for_and_what_is_installed() -> None:
    pins = {normal(pin.name): pin.version for pin in read_lock(ROOT / "requirements.lock")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {normal(re.match(r"[A-Za-z0-9._-]+", line)[0]) for line in project["dependencies"]}  # type: ignore[index]
    assert asked <= pins.keys()
    dev = {normal(pin.name): pin.version for pin in read_lock(ROOT / "requirements-dev.lock")}
    assert {name: dev.get(name) for name in pins} == pins
    assert {name: metadata.version(name) for name in asked} == {name: pins[name] for name in asked}


def test_licences_are_listed_and_permissive() -> None:
    """`make lock` makes the list."""
    assert (ROOT / "LICENCES.md").read_text() == render()
    unknown = {
        name: licence
        for name, _, licence in list_licences()
        if not licence or not all(PERMISSIVE.search(part) for part in licence.split(" AND "))
    }
    assert not unknown


@contextmanager
def database(answer: bytes) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """A server that gives this answer, and what it was asked."""
    asked: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()


def check(url: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.supply_chain.advisories", "--database", url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)


def test_advisories_fail_the_check_and_silence_does_not() -> None:
    pins = list(read_lock(ROOT / "requirements.lock"))
    none: list[dict[str, object]] = [{} for _ in pins]
    with database(json.dumps({"results": none}).encode()) as (url, asked):
        assert check(url).returncode == 0
    assert len(asked[0]["queries"]) == len(pins)  # type: ignore[arg-type]
    with database(json.dumps({"results": [{"vulns": [{"id": "PYSEC-1"}]}, *none[1:]]}).encode()) as (url, _):
        done = check(url)
    assert done.returncode == 1 and f"{pins[0].name}=={pins[0].version}: PYSEC-1" in done.stdout
    for gone in (url, "http://127.0.0.1:1/"):
        done = check(gone)
        assert done.returncode == 0 and "not checked" in done.stdout
