"""Inputs behind URLs: what fsspec opens is read as a local file is, and what it cannot do is said."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import fsspec
import pytest
from command_line import call
from fsspec.implementations.memory import MemoryFileSystem

from analyzer.bundle import (
    BundleLimits,
    Loss,
    ReadObserver,
    Url,
    list_input_files,
    open_bundle,
    open_input_files,
    parse_input,
)
from analyzer.bundle.remote import NO_RANGES_NOTE, printable_url, url_file_name
from analyzer.bundle.web import normalize_url
from analyzer.errors import InputError
from tests.bundle.packing import pack_tar, pack_zip

ROOT = Path(__file__).parents[2]
FILES = {"n1/worker.log": b"one\n" * 5000, "n2/worker.log": b"two\n" * 5000, "n2/dmesg": b"[1.0] three\n"}


def contents(url: str, scratch: Path) -> dict[str, bytes]:
    items = open_bundle([Url(url)], BundleLimits(), scratch)
    return {item.path: item.reason.encode() if isinstance(item, Loss) else item.stream.read() for item in items}


SENT = 2_100_000  # bytes of a file that breaks


class Plain(SimpleHTTPRequestHandler):
    """Gives whole files only; `broken` ones end in the middle."""

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        if self.path.endswith("broken.log"):
            self._begin_broken()
        else:
            super().do_HEAD()

    def do_GET(self) -> None:
        if self.path.endswith("broken.log"):
            self._begin_broken()
            self.wfile.write(b"a line\n" * (SENT // 7))
        else:
            super().do_GET()

    def _begin_broken(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(2 * SENT))
        self.end_headers()
        self.close_connection = True


class Ranged(Plain):
    """Gives the bytes that are asked for, as real servers do."""

    def end_headers(self) -> None:
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted:
            super().do_GET()
            return
        data = Path(self.translate_path(self.path)).read_bytes()
        first, last = int(wanted[1]), min(int(wanted[2]), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(data[first : last + 1])


@pytest.fixture(params=[Plain, Ranged])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Path, bool]]:
    """(address, the folder that is served, whether it gives ranges)"""
    served = tmp_path / "served"
    served.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(request.param, directory=str(served))) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}", served, request.param is Ranged
        http.shutdown()


def test_urls_are_told_from_paths() -> None:
    for url in (
        "s3://bucket/a",
        "gs://b/c.tar",
        "hdfs://host:9000/logs",
        "https://host/x.tar.gz",
        "simplecache::s3://b/c",
    ):
        assert parse_input(url) == url
    for path in ("logs.tar", "/a/b", "c:/x", "a//b", "s3:/bucket"):
        assert parse_input(path) == Path(path)


def test_what_is_secret_in_a_url_is_not_shown() -> None:
    url = "https://me:word@host/logs/job%201.tar.gz?X-Amz-Signature=abc"
    assert printable_url(url) == "https://host/logs/job%201.tar.gz"
    assert url_file_name(url) == "job 1.tar.gz"


@pytest.mark.parametrize("pack", [pack_tar, pack_zip])
def test_an_archive_in_memory(pack: Any, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/store/logs.packed", pack(FILES))
    assert contents("memory://store/logs.packed", tmp_path) == FILES


def test_a_folder_in_memory_and_by_file_url(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    for name, data in FILES.items():
        memory.pipe(f"/folder/{name}", data)
        (tmp_path / "here" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "here" / name).write_bytes(data)
    assert contents("memory://folder", tmp_path) == FILES
    assert contents((tmp_path / "here").as_uri(), tmp_path) == FILES


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/a/x.log", b"1")
    memory.pipe("/b/x.log", b"2")
    places = list_input_files([Url("memory://a/x.log"), Url("memory://b/x.log")])
    assert [place.label for place in places if not isinstance(place, Loss)] == ["a/x.log", "b/x.log"]


def test_an_archive_from_a_server(server: tuple[str, Path, bool], tmp_path: Path) -> None:
    address, served, ranges = server
    (served / "logs.tar").write_bytes(pack_tar(FILES))
    notes: list[str] = []

    class Noting(ReadObserver):
        def add_note(self, sentence: str) -> None:
            notes.append(sentence)

    places = list_input_files([Url(f"{address}/logs.tar?signature=1")])
    members = open_input_files(places, BundleLimits(), tmp_path, Noting())
    assert {member.path: member.stream.read() for member in members if not isinstance(member, Loss)} == FILES
    assert notes == ([] if ranges else [f"logs.tar: {NO_RANGES_NOTE}"])


def test_a_folder_of_a_server(server: tuple[str, Path, bool], tmp_path: Path) -> None:
    address, served, _ = server
    for name, data in FILES.items():
        (served / name).parent.mkdir(exist_ok=True)
        (served / name).write_bytes(data)
    assert contents(f"{address}/", tmp_path) == FILES


def test_a_transfer_that_breaks_costs_only_the_rest(server: tuple[str, Path, bool], tmp_path: Path) -> None:
    address, served, ranges = server
    if ranges:
        pytest.skip("a server of ranges breaks within a block, which is lost as a whole")
    from analyzer.pipeline import Options, read_inputs
    from analyzer.reading import build_plan
    from analyzer.rules.load import load_packs

    (served / "whole.log").write_bytes(b"2026-01-01 00:00:00 INFO a: b\n" * 10)
    plan = build_plan(load_packs([], builtin=False))
    urls = [Url(f"{address}/broken.log"), Url(f"{address}/whole.log")]
    results = {result.file: result for result in read_inputs(urls, plan, Options()).results}
    assert results["whole.log"].status == "read"
    assert results["broken.log"].status == "partly-read"
    assert "the transfer stopped" in (results["broken.log"].problem or "")
    assert 0 < results["broken.log"].bytes <= SENT  # what was under way is lost: more, where the server is faster


@pytest.mark.parametrize("protocol", ["http", "ftp"])
def test_a_server_that_does_not_answer_is_told_from_a_missing_file(protocol: str) -> None:
    with pytest.raises(InputError, match=r"the server does not answer: [A-Z]"):
        list_input_files([Url(f"{protocol}://127.0.0.1:1/x.tar")])


def test_what_is_not_there_is_an_input_error(server: tuple[str, Path, bool], tmp_path: Path) -> None:
    address, _, _ = server
    for url in (f"{address}/none.tar", "memory://nowhere/none.tar", "http://127.0.0.1:1/x.log", "nosuch://a/b"):
        with pytest.raises(InputError) as caught:
            contents(url, tmp_path)
        assert url in caught.value.message
        assert caught.value.exit_code == 3


@pytest.mark.parametrize(("protocol", "package"), [("s3", "s3fs"), ("gs", "gcsfs"), ("hdfs", "hdfs-native")])
def test_a_missing_driver_says_what_to_install(
    protocol: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (package.replace("-", "_"), "pyarrow"):  # fsspec's own driver for HDFS needs the latter
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError) as caught:
        contents(f"{protocol}://bucket/x", tmp_path)
    assert f"pip install {package}" in caught.value.hint


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError) as caught:
        contents("s3://bucket/x", tmp_path)
    assert "tf-postmortem[remote]" in caught.value.hint


def test_both_ways_give_the_same_incident(server: tuple[str, Path, bool], tmp_path: Path) -> None:
    address, served, _ = server
    bundle = ROOT / "fixtures" / "killed-worker" / "bundle.tar.gz"
    (served / "bundle.tar.gz").write_bytes(bundle.read_bytes())

    def incident(source: str) -> dict[str, Any]:
        result = call("analyze", source, "-q", "--json", "-")
        assert result.returncode == 0, result.stderr
        report: dict[str, Any] = json.loads(result.stdout)
        report["notes"] = [note for note in report["notes"] if NO_RANGES_NOTE not in note]
        return report

    assert incident(f"{address}/bundle.tar.gz") == incident(str(bundle))


class Endless(SimpleHTTPRequestHandler):
    """Each folder lists two more, pages elsewhere and a file."""

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        links = (
            "a/",
            "b/",
            "../",
            "/",
            "x.log",
            "x.log#end",
            "?C=M",
            "//elsewhere/y.log",
            "file:///etc/passwd",
            "http://[x",
            "%2e%2e/z.log",
            "a/..%5cz.log",
        )
        page = "".join(f'<A HREF=" {link}">' for link in links).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page if self.command == "GET" else b"")


@pytest.fixture
def endless() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/in/"
        http.shutdown()


def test_only_what_lies_below_a_page_is_followed_and_not_for_ever(
    endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analyzer.bundle.web_listing.MAX_DEPTH", 2)
    labels = [place.label for place in list_input_files([Url(endless)]) if not isinstance(place, Loss)]
    assert labels == sorted(f"{folder}x.log" for folder in ("", "a/", "b/", "a/a/", "a/b/", "b/a/", "b/b/"))
    monkeypatch.setattr("analyzer.bundle.web_listing.MAX_DEPTH", 99)
    monkeypatch.setattr("analyzer.bundle.web_listing.MAX_PAGES", 20)
    with pytest.raises(InputError, match="more than 20 folders"):
        list(list_input_files([Url(endless)]))


def test_a_transfer_that_drips_is_given_up(server: tuple[str, Path, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    address, served, _ = server
    (served / "w.log").write_bytes(b"a line\n" * 9)
    monkeypatch.setattr("analyzer.bundle.remote.SLOW_TRANSFER_AFTER_S", 0.0)
    monkeypatch.setattr("analyzer.bundle.remote.MIN_BYTES_PER_S", 1 << 60)
    [member] = list_members(f"{address}/w.log")
    assert isinstance(member, Loss) and "the transfer was aborted: 63 bytes" in member.reason


def list_members(url: str) -> list[Any]:
    return list(open_input_files(list_input_files([Url(url)])))


class Hosted(MemoryFileSystem):
    """A driver whose paths lack the host, as those of HDFS do: without one it cannot be made."""

    protocol = "hosted"
    cachable = False

    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(**options)

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, Any]:
        host = urlsplit(path).netloc
        return {"host": host} if host else {}

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return urlsplit(path).path.rstrip("/") if "://" in path else path.rstrip("/")

    def _open(self, path: str, *arguments: Any, **options: Any) -> Any:
        if path.endswith("broken"):
            raise RuntimeError("what a driver likes to raise")
        return super()._open(path, *arguments, **options)


def test_a_folder_of_a_driver_that_keeps_the_host_apart(tmp_path: Path) -> None:
    fsspec.register_implementation("hosted", Hosted, clobber=True)
    memory = fsspec.filesystem("memory")
    for name, data in {**FILES, "n3/broken": b"x", "n3/a%20b": b"y"}.items():
        memory.pipe(f"/apart/{name}", data)
    by_path = contents("hosted://namenode:8020/apart", tmp_path)
    assert by_path.pop("n3/broken") == b"it cannot be opened: what a driver likes to raise"
    assert by_path == {**FILES, "n3/a%20b": b"y"}
    with pytest.raises(InputError, match="hosted:///apart"):
        contents("hosted:///apart", tmp_path)


class Sending(SimpleHTTPRequestHandler):
    """Lists files and redirects whoever asks for one that `targets` names, by the header that it gives."""

    targets: ClassVar[dict[str, tuple[str, str]]] = {}
    asked: ClassVar[list[str]] = []
    page = b"".join(b"<a href=%d.log>" % number for number in range(9))

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        content = b"a secret\n" if self.path == "/secret" else self.page
        if self.path in self.targets:
            self.send_response(302)
            self.send_header(*self.targets[self.path])
            content = b""
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if self.command == "GET" else b"")


class Elsewhere(Sending):
    targets: ClassVar[dict[str, tuple[str, str]]] = {}
    asked: ClassVar[list[str]] = []


@contextmanager
def serve(handler: type[SimpleHTTPRequestHandler]) -> Iterator[int]:
    """The port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield http.server_port
        http.shutdown()


def test_a_page_sends_us_to_no_other_origin(tmp_path: Path) -> None:
    """A URL that a person gives may lead elsewhere, as downloads do; what a stranger's page links may not."""
    with serve(Sending) as port, serve(Elsewhere) as other:
        here = f"127.0.0.1:{port}"
        places = [
            ("Location", f"http://localhost:{port}/secret", "http://localhost"),
            ("Location", f"http://127.0.0.1:{other}/secret", f"http://127.0.0.1:{other}"),
            ("Location", f"//127.0.0.1:{other}/secret", f"http://127.0.0.1:{other}"),
            ("Location", "http://127.0.0.1/secret", "http://127.0.0.1:"),
            ("Location", f"https://{here}/secret", "https://127.0.0.1"),
            ("Location", f"http://{here}@127.0.0.1:{other}/secret", f"http://127.0.0.1:{other}"),
            ("URI", f"http://127.0.0.1:{other}/secret", f"http://127.0.0.1:{other}"),
            ("Location", "/secret", ""),
            ("Location", f"http://me:word@{here}/secret", ""),
        ]
        Sending.targets = {f"/in/{number}.log": place[:2] for number, place in enumerate(places)}
        listed = contents(f"http://{here}/in/", tmp_path)
        for number, (*_, refused) in enumerate(places):
            content = listed[f"{number}.log"]
            assert (
                content == b"a secret\n" if not refused else f"redirects to {refused}".rstrip(":").encode() in content
            )
        assert Elsewhere.asked == []
        assert contents(f"http://{here}/in/1.log", tmp_path) == {"1.log": b"a secret\n"}
        assert contents(f"http://{here}/in/6.log", tmp_path) == {"6.log": b"a secret\n"}


def test_links_to_another_origin_are_not_followed_and_those_to_the_same_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(Sending) as port, serve(Elsewhere) as other:
        links = [
            f"HTTP://127.0.0.1:{port}/in/same.log",
            f"//127.0.0.1:{port}/in/too.log",
            f"http://127.0.0.1:{other}/in/port.log",
            f"https://127.0.0.1:{port}/in/scheme.log",
            f"http://127.0.0.1:{port}@127.0.0.1:{other}/in/user.log",
            f"http://localhost:{port}/in/name.log",
            f"http://127.0.0.1.:{port}/in/dot.log",
            "http://127.0.0.1/in/default.log",
            f"http://127.0.0.1:{port}0/in/longer.log",
            f"http://127.0.0.1:{port}x/in/number.log",
        ]
        monkeypatch.setattr(Sending, "page", "".join(f'<a href="{link}">' for link in links).encode())
        monkeypatch.setattr(Sending, "targets", {})
        monkeypatch.setattr(Elsewhere, "asked", [])
        assert set(contents(f"http://127.0.0.1:{port}/in/", tmp_path)) == {"same.log", "too.log"}
        assert Elsewhere.asked == []


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://H.Example:80/In/", "http://h.example/In/"),
        ("https://h:443/a", "https://h/a"),
        ("https://h:80/a", "https://h:80/a"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://Me:Word@H:80/", "http://Me:Word@h/"),
        ("http://h./", "http://h./"),
    ],
)
def test_one_origin_has_one_spelling(url: str, normal: str) -> None:
    assert normalize_url(url) == normal
