"""What every test can rely on: a terminal's signals, a normal priority, and a home and a cache of its own."""

import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A shell starts background jobs with both signals ignored, and every program that a test starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# The time that an example takes depends on the machine.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")

# `collect` lowers its priority. Called in this process, it would lower that of all later tests.
os.nice = lambda increment: 0

# pyenv finds its interpreters through the home folder, which is replaced below.
os.environ.setdefault("PYENV_ROOT", str(Path.home() / ".pyenv"))


# Tests that take more than a few seconds, most because they start processes: a file, or a file and a function
# (`cli/test_faults.py::test_name`). `make quick` leaves them out.
SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().split())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that tests/slow.txt lists as slow."""
    for item in items:
        file = item.path.relative_to(Path(__file__).parent).as_posix()
        if file in SLOW or f"{file}::{getattr(item, 'originalname', item.name)}" in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def _pristine_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that holds the compiled built-in rules and nothing that was learned from a log.

    The processes of one run share it: the first one builds it, and the others wait for that.
    """
    from analyzer.reading import build_plan
    from analyzer.rules.packs.cache import load_packs

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    cache = folder / "pristine" / "tf-postmortem"
    with (folder / "pristine.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cache.exists():
            unfinished = cache.with_name("unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            build_plan(load_packs((), unfinished), unfinished)
            unfinished.rename(cache)
    return cache


@pytest.fixture(scope="session", autouse=True)
def _session_home(_pristine_cache: Path) -> Iterator[Path]:
    """A home and a cache for fixtures that outlive one test. They must not depend on what the user's cache holds."""
    home = Path(tempfile.mkdtemp(prefix="tf-postmortem-home-"))
    saved = dict(os.environ)
    os.environ.update(HOME=str(home), XDG_CACHE_HOME=str(home / ".cache"))
    for name in ("XDG_CONFIG_HOME", "TF_POSTMORTEM_HISTORY"):
        os.environ.pop(name, None)
    _link_files(_pristine_cache, home / ".cache" / "tf-postmortem")
    yield home
    os.environ.clear()
    os.environ.update(saved)
    shutil.rmtree(home, ignore_errors=True)


def _link_files(source: Path, target: Path) -> None:
    """Links suffice, because files of a cache are replaced and never changed."""
    target.mkdir(parents=True, mode=0o700)
    for file in source.iterdir():
        if file.is_file():
            os.link(file, target / file.name)


class _FreshHomes:
    """Homes with a pristine cache. A home that a test left as it was serves the next test too."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder, self._cache = folder, cache
        self._number = 0
        self._entries: set[tuple[str, int, int]] = set()

    def take(self) -> Path:
        """Return a home in which nobody has written anything."""
        home = self._folder / str(self._number)
        if not self._entries or _list_entries(home) != self._entries:
            self._number += 1
            home = self._folder / str(self._number)
            _link_files(self._cache, home / ".cache" / "tf-postmortem")
            self._entries = _list_entries(home)
        return home


def _list_entries(folder: Path) -> set[tuple[str, int, int]]:
    """Return (path, inode, time of writing in ns) of all that is in the folder, and of the folder itself."""
    paths = [folder, *folder.rglob("*")] if folder.is_dir() else []
    return {(str(path), status.st_ino, status.st_mtime_ns) for path in paths for status in (path.lstat(),)}


@pytest.fixture(scope="session")
def _fresh_homes(_session_home: Path, _pristine_cache: Path) -> _FreshHomes:
    return _FreshHomes(_session_home / "tests", _pristine_cache)


@pytest.fixture(autouse=True)
def _own_home(_fresh_homes: _FreshHomes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and a cache for this test alone."""
    home = _fresh_homes.take()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
