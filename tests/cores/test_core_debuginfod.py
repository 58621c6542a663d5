"""Binaries from a debuginfod server that the test runs itself, on this machine."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import compile_program, crash

from analyzer.cores.elf.debuginfod import DebuginfodServers, _make_opener


class Server:
    """Serves `files` by their path, and remembers what was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.redirects: dict[str, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                content = outer.files.get(self.path)
                if self.path in outer.redirects:
                    self.send_response(302)
                    self.send_header("Location", outer.redirects[self.path])
                else:
                    self.send_response(200 if content is not None else 404)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


def crash_stripped(folder: Path) -> tuple[Path, Path, bytes, bytes]:
    """(core, program, its stripped content, its debug file); the program is taken away."""
    program = compile_program("crash.c", folder / "crash", "-O2", "-g")
    debug = folder / "debug"
    if subprocess.run(["objcopy", "--only-keep-debug", program, debug]).returncode:
        pytest.skip("no objcopy")
    subprocess.run(["strip", program], check=True)
    path = crash(folder / "run", [str(program), "null"])
    stripped = program.read_bytes()
    program.unlink()
    return path, program, stripped, debug.read_bytes()


def test_a_missing_binary_and_its_symbols_come_from_the_server(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, program, stripped, debug = crash_stripped(tmp_path)
    before: Any = read_core_row(path)
    build_id = next(m["build_id"] for m in before["modules"] if m["path"] == str(program))
    assert server.asked == []  # off unless it is set
    server.files = {f"/buildid/{build_id}/executable": stripped, f"/buildid/{build_id}/debuginfo": debug}
    monkeypatch.setenv("DEBUGINFOD_URLS", server.url)
    core: Any = read_core_row(path)
    assert [f["function"] for f in core["threads"][0]["frames"][:3]] == ["read_node", "walk_nodes", "main"]
    assert next(m["status"] for m in core["modules"] if m["path"] == str(program)) == "verified"
    asked = len(server.asked)
    assert read_core_row(path)["threads"] == core["threads"]
    assert len(server.asked) == asked  # the cache answers, also for what is not there


def test_another_build_is_not_believed(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    path, program, _, _ = crash_stripped(tmp_path)
    before: Any = read_core_row(path)
    build_id = next(m["build_id"] for m in before["modules"] if m["path"] == str(program))
    server.files = {f"/buildid/{build_id}/executable": Path("/bin/true").read_bytes()}
    monkeypatch.setenv("DEBUGINFOD_URLS", f"{server.url} ")
    core: Any = read_core_row(path)
    assert next(m["status"] for m in core["modules"] if m["path"] == str(program)) == "mismatch"
    assert len(core["threads"][0]["frames"]) == 1


def test_servers_that_cannot_be_reached_cost_one_attempt(tmp_path: Path, server: Server) -> None:
    gone = DebuginfodServers(["http://127.0.0.1:1", server.url])
    assert gone.fetch("ab" * 20, "executable") is None
    assert gone.urls == [server.url]
    spent = DebuginfodServers([server.url], seconds_left=0)
    assert spent.fetch("cd" * 20, "executable") is None
    assert all("cdcd" not in asked for asked in server.asked)
    assert DebuginfodServers([server.url]).fetch("../../etc", "executable") is None


@pytest.mark.parametrize(
    ("target", "followed"),
    [
        ("http://{}/moved", True),
        ("/moved", True),
        ("ftp://{}/moved", False),
        ("file:///etc/hostname", False),
    ],
)
def test_a_server_redirects_to_http_alone(target: str, followed: bool, server: Server) -> None:
    server.files = {"/moved": b"the file"}
    server.redirects = {"/buildid/0123456789abcdef/executable": target.format(server.url.partition("://")[2])}
    servers = DebuginfodServers([server.url])
    fetched = servers.fetch("0123456789abcdef", "executable")
    assert (fetched is not None and fetched.read_bytes() == b"the file") is followed


def test_a_secure_server_redirects_to_no_other() -> None:
    from email.message import Message
    from urllib.error import URLError
    from urllib.request import HTTPRedirectHandler, Request

    [handler] = [candidate for candidate in _make_opener().handlers if isinstance(candidate, HTTPRedirectHandler)]  # type: ignore[attr-defined]
    asked = Request("https://debuginfod.example/x")
    assert handler.redirect_request(asked, None, 302, "", Message(), "https://mirror.example/x")
    with pytest.raises(URLError, match="redirects to"):
        handler.redirect_request(asked, None, 302, "", Message(), "http://mirror.example/x")
