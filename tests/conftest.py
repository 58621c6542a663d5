"""What every test can rely on: a terminal's signals, a normal priority, and a home and a cache of its own."""

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


# Files whose tests take more than a few seconds, most because they start processes. `make quick` leaves them out.
SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().split())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the files that tests/slow.txt lists as slow."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix() in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _session_home() -> Iterator[Path]:
    """A home and a cache for fixtures that outlive one test. They must not depend on what the user's cache holds."""
    home = Path(tempfile.mkdtemp(prefix="tf-postmortem-home-"))
    saved = dict(os.environ)
    os.environ.update(HOME=str(home), XDG_CACHE_HOME=str(home / ".cache"))
    for name in ("XDG_CONFIG_HOME", "TF_POSTMORTEM_HISTORY"):
        os.environ.pop(name, None)
    yield home
    os.environ.clear()
    os.environ.update(saved)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def _pristine_cache(_session_home: Path) -> Path:
    """A cache that holds the compiled built-in rules and nothing that was learned from a log."""
    from analyzer.reading import build_plan
    from analyzer.rules.packs.cache import load_packs

    cache = _session_home / "pristine" / "tf-postmortem"
    build_plan(load_packs((), cache), cache)
    return cache


@pytest.fixture(autouse=True)
def _own_home(_pristine_cache: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and a cache for this test alone. Cached files are replaced, never changed, so links suffice."""
    home = tmp_path_factory.mktemp("home")
    cache = home / ".cache" / "tf-postmortem"
    cache.mkdir(parents=True, mode=0o700)
    for file in _pristine_cache.iterdir():
        if file.is_file():
            os.link(file, cache / file.name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
