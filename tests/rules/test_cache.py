"""Checked packs come out of the cache as they went in, and only what this user wrote is believed."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import pytest

from analyzer.paths import cache_dir, read_cache, write_cache
from analyzer.resources import rules_dir
from analyzer.rules import load
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs

PACK = "pack: kept\nversion: 1.0.0\nrules:\n  - {id: kept-rule, match: 'a kept line', title: kept}\n"


class Bomb:
    """Unpickled, it leaves a trace."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.target,)


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Beside a few of the shipped packs: all of them take a second to read."""
    shipped = tmp_path / "shipped"
    shutil.copytree(rules_dir(), shipped, ignore=_seldom)
    monkeypatch.setattr(load, "rules_dir", lambda: shipped)
    monkeypatch.setattr("analyzer.rules.packs.cache.rules_dir", lambda: shipped)
    (tmp_path / "kept.yaml").write_text(PACK)
    return tmp_path / "kept.yaml"


def _seldom(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".yaml") and name != "causes.yaml" and name > "d"]


def summary(packs: Packs) -> tuple[object, ...]:
    return (
        [(rule.id, rule.when, rule.explains) for rule in packs.rules.values()],
        packs.signals,
        packs.causes,
        packs.tables,
    )


def test_a_second_start_reads_no_yaml_and_knows_the_same(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_packs((pack,), tmp_path / "cache")
    monkeypatch.setattr(load, "load_packs", lambda *_, **__: pytest.fail("the packs were read again"))
    assert summary(load_packs((pack,), tmp_path / "cache")) == summary(first)
    assert "kept-rule" in first.rules


def test_a_changed_pack_is_read_again(pack: Path, tmp_path: Path) -> None:
    load_packs((pack,), tmp_path / "cache")
    pack.write_text(PACK.replace("kept-rule", "new-rule"))
    assert "new-rule" in load_packs((pack,), tmp_path / "cache").rules


@pytest.mark.parametrize("part", ["file", "folder"])
def test_what_others_may_write_is_not_believed(pack: Path, tmp_path: Path, part: str) -> None:
    cache = tmp_path / "cache"
    load_packs((pack,), cache)
    [kept] = cache.glob("*.packs")
    write_cache(kept, pickle.dumps(Bomb(tmp_path / "trace")))
    (kept if part == "file" else cache).chmod(0o777)
    assert "kept-rule" in load_packs((pack,), cache).rules
    assert not (tmp_path / "trace").exists()


def test_what_somebody_else_owns_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cache(tmp_path / "cache" / "a.packs", b"data")
    assert read_cache(tmp_path / "cache" / "a.packs") == b"data"
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert read_cache(tmp_path / "cache" / "a.packs") is None


def test_of_a_full_cache_what_was_unused_for_long_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    for days, name in enumerate(("today", "a-day-ago", "two-days-ago", "read-again", "long-ago")):
        write_cache(cache / name, bytes(1500))
        before = (cache / name).stat().st_mtime - days * 25 * 3600
        os.utime(cache / name, (before, before))
    (cache / "downloads").mkdir()
    assert read_cache(cache / "read-again")
    monkeypatch.setattr("analyzer.paths.MAX_CACHE_BYTES", 6500)
    write_cache(cache / "new", bytes(1500))
    assert {path.name for path in cache.iterdir()} == {"today", "a-day-ago", "read-again", "new", "downloads"}


@pytest.mark.parametrize("cut", [0, 10, 31, 32, 33, 500])
def test_damage_is_noticed(pack: Path, tmp_path: Path, cut: int) -> None:
    cache = tmp_path / "cache"
    load_packs((pack,), cache)
    [kept] = cache.glob("*.packs")
    content = kept.read_bytes()
    kept.write_bytes(content[:cut])
    assert read_cache(kept) is None
    kept.write_bytes(content[:cut] + bytes([content[cut] ^ 255]) + content[cut + 1 :])
    assert "kept-rule" in load_packs((pack,), cache).rules


def test_a_home_that_cannot_be_written_costs_nothing_else(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "kept-rule" in load_packs((pack,), tmp_path / "file" / "cache").rules


def test_the_cache_never_lies_in_the_folder_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    folder = cache_dir()
    assert folder is None or folder.is_absolute()


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    kept = tmp_path / "x.packs"
    os.mkfifo(kept, 0o600)
    assert read_cache(kept) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have files of another user")
@pytest.mark.parametrize("part", ["file", "folder", "link to the file", "link to the folder"])
def test_what_is_another_users_is_never_loaded(pack: Path, tmp_path: Path, part: str) -> None:
    """A pickle is code. The name and the checksum are right, and the modes too."""
    cache, stranger = tmp_path / "cache", 65534
    load_packs((pack,), cache)
    [kept] = cache.glob("*.packs")
    write_cache(kept, pickle.dumps(Bomb(tmp_path / "trace")))
    changed = kept if part.endswith("file") else cache
    if part.startswith("link"):
        changed = changed.rename(tmp_path / "elsewhere")
        (kept if part.endswith("file") else cache).symlink_to(changed)
        changed = kept if part.endswith("file") else cache
    os.lchown(changed, stranger, stranger)
    assert "kept-rule" in load_packs((pack,), cache).rules
    assert not (tmp_path / "trace").exists()


def test_a_cache_in_a_place_where_others_may_put_another_is_not_believed(tmp_path: Path) -> None:
    write_cache(tmp_path / "home" / "cache" / "a", b"data")
    assert read_cache(tmp_path / "home" / "cache" / "a") == b"data"
    (tmp_path / "home").chmod(0o777)
    assert read_cache(tmp_path / "home" / "cache" / "a") is None
    (tmp_path / "home").chmod(0o1777)  # as /tmp is
    assert read_cache(tmp_path / "home" / "cache" / "a") == b"data"
    (tmp_path / "link").symlink_to("home")
    assert read_cache(tmp_path / "link" / "cache" / "a") == b"data"  # ones own


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have files of another user")
@pytest.mark.parametrize("is_there", [True, False])
def test_in_another_users_home_nothing_is_written(tmp_path: Path, is_there: bool) -> None:
    """Root with that user's HOME: a link there would lead to root's files, and a folder would lock its owner out."""
    home = tmp_path / "home"
    (home / "tf-postmortem" if is_there else home).mkdir(parents=True)
    if is_there:
        (home / "tf-postmortem" / "a.packs").symlink_to(tmp_path / "victim")
    for path in (home, *home.rglob("*")):
        os.lchown(path, 65534, 65534)
    before = {*home.rglob("*")}
    write_cache(home / "tf-postmortem" / "a.packs", b"data")
    write_cache(home / "tf-postmortem" / "new.packs", b"data")
    assert {*home.rglob("*")} == before and not (tmp_path / "victim").exists()
