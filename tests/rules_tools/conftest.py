"""The built-in packs, loaded once: reading them takes most of a test's time."""

from pathlib import Path

import pytest

from analyzer.cli import rules
from analyzer.rules import load
from analyzer.rules.packs.user_packs import UserPacks
from analyzer.rules.types import Packs


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The author's packs by themselves, so that what other packs do changes no test here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def load_alone(paths: list[Path] | None, user_packs: UserPacks | None = None) -> Packs:
        return load.load_packs(paths or [], builtin=False)

    for module in ("rules", "rules_lint", "rules_test", "rules_explain", "rules_new", "rules_watch"):
        loaded = __import__(f"analyzer.cli.{module}", fromlist=["load_packs_for"])
        monkeypatch.setattr(loaded, "load_packs_for", load_alone)
    assert rules.load_packs_for is load_alone
