"""Every dependency is pinned with its hashes, under a licence that is known, and can be checked for advisories."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.supply_chain.licences import list_licences, render
from tests.supply_chain.lock import ROOT, read_lock

# Words of licences that allow use and copying in a program under the Apache License; none of them asks for its source.
PERMISSIVE = re.compile(r"MIT|BSD|0BSD|ISC|Apache|PSF|CNRI|Zlib|CC0|[Pp]ublic [Dd]omain")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    pins = list(read_lock(ROOT / lock))
    assert len(pins) > 5
    assert [pin.name for pin in pins if not pin.hashes] == []


def pins_of(lock: str) -> dict[str, str]:
    return {normal(pin.name): pin.version for pin in read_lock(ROOT / lock)}


def test_the_locks_hold_all_that_is_asked_for_and_what_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, pins, dev = settings["project"], pins_of("requirements.lock"), pins_of("requirements-dev.lock")
    extras = project["optional-dependencies"]
    for lines, locked in (
        (project["dependencies"], pins),
        (settings["build-system"]["requires"], pins_of("requirements-build.lock")),
        ([*extras["dev"], *extras["dask"], *extras["remote"]], dev),
    ):
        asked = {normal(requirement.name): requirement.specifier for requirement in map(Requirement, lines)}
        assert asked.keys() <= locked.keys()
        assert {name: locked[name] for name, versions in asked.items() if locked[name] not in versions} == {}
    for other in (pins, pins_of("requirements-build.lock")):
        assert {name: dev.get(name, version) for name, version in other.items()} == other
    assert pins.keys() <= dev.keys()
    asked = {normal(Requirement(line).name) for line in project["dependencies"]}
    assert {name: metadata.version(name) for name in asked} == {name: pins[name] for name in asked}


def installs() -> list[list[str]]:
    """The options of each `pip install` with which `make` fills an environment."""
    command = ["make", "--dry-run", "--always-make", ".venv/.dev"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = [shlex.split(line) for line in output.splitlines() if "pip install" in line]
    return [line[line.index("install") + 1 :] for line in lines]


def test_nothing_is_installed_that_is_not_locked() -> None:
    """From the locks alone, or the checkout itself, for which nothing is fetched."""
    install_commands = installs()
    locked = [words for words in install_commands if "-r" in words]
    assert [words[-1] for words in locked] == [LOCKS[0], LOCKS[1], LOCKS[2]]
    assert all("--require-hashes" in words for words in locked)
    (own,) = (words for words in install_commands if "-r" not in words)
    assert {"--no-deps", "--no-build-isolation"} <= {*own} and own[-1] == "."


@pytest.mark.parametrize("spoil", ["nothing", "one hash", "all hashes", "a wrong hash", "a range"])
def test_a_lock_is_installed_only_with_its_hashes(tmp_path: Path, spoil: str) -> None:
    """By pip itself, as `make` calls it: two small packages, one after the other."""
    lines = [make_wheel(tmp_path, name) for name in ("tiny-one", "tiny-two")]
    if spoil == "one hash":
        lines[1] = lines[1].partition(" ")[0]
    elif spoil == "all hashes":
        lines = [line.partition(" ")[0] for line in lines]
    elif spoil == "a wrong hash":
        lines[1] = lines[1][:-1] + ("0" if lines[1][-1] != "0" else "1")
    elif spoil == "a range":
        lines[1] = lines[1].replace("==", ">=")
    (tmp_path / "requirements.lock").write_text("\n".join(lines))
    options = next(words for words in installs() if "-r" in words)
    where = ["--no-index", "--find-links", str(tmp_path), "--target", str(tmp_path / "site")]
    result = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, *where],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (result.returncode == 0) == (spoil == "nothing"), result.stderr
    assert (tmp_path / "site").exists() == (spoil == "nothing")


def make_wheel(folder: Path, name: str) -> str:
    """A package without content, and its line in a lock."""
    module = name.replace("-", "_")
    about = f"{module}-1.0.dist-info"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


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
            self.send_response_only(200)
            self.send_header("Date", "Sat, 21 Nov 2026 07:00:01 GMT")
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


def test_advisories_fail_the_check_and_silence_does_not_but_is_said() -> None:
    pins = {(pin.name, pin.version) for lock in LOCKS for pin in read_lock(ROOT / lock)}
    none: list[dict[str, object]] = [{} for _ in pins]
    with database(json.dumps({"results": none}).encode()) as (url, asked):
        result = check(url)
    assert (
        result.returncode == 0
        and f"0 of {len(pins)} packages have some, by {url} of 2026-11-21 07:00 UTC" in result.stdout
    )
    queries: Any = asked[0]["queries"]
    assert {(query["package"]["name"], query["version"]) for query in queries} == pins
    with database(json.dumps({"results": [{"vulns": [{"id": "PYSEC-1"}]}, *none[1:]]}).encode()) as (url, _):
        result = check(url)
    first = queries[0]
    assert result.returncode == 1 and f"{first['package']['name']}=={first['version']}: PYSEC-1" in result.stdout
    for answer in (b"", b"<html>", b"[]", b'{"results": []}', b'{"results": null}'):
        with database(answer) as (url, _):
            result = check(url)
        assert result.returncode == 0 and "NOT CHECKED" in result.stdout, answer
    for gone in (url, "http://127.0.0.1:1/"):
        result = check(gone)
        assert result.returncode == 0 and f"advisories: NOT CHECKED: {gone} gives no answer" in result.stdout


def test_ci_says_at_its_end_whether_there_was_a_check() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert (
        script.index("make check | tee build/check.log")
        < script.index("/pytest --")
        < script.index("grep '^advisories:'")
    )
    assert "pipefail" in script
    assert (
        "tests.supply_chain.advisories" in (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    )
