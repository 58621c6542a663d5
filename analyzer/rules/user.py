"""Where a user's own packs are found: installed packages, ~/.config, and the configuration of the current folder.

The later ones may override the earlier: packages, then the home folder, then the folder in which one works. Whatever is
wrong here is a problem that the report tells; it never stops an analysis.

A configuration of the current folder may switch rules off, so it must not come from the incident: it is not read where
it lies in an input, or beside one that was unpacked already.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.bundle import Input, find_local, is_archive
from analyzer.errors import UsageError
from analyzer.paths import is_file, is_folder
from analyzer.rules.places import At, Problem

if TYPE_CHECKING:
    import importlib.metadata

GROUP = "tf_postmortem.rules"
NAME = "tf-postmortem"
MAX_BYTES = 1024 * 1024  # of a configuration
KEYS = frozenset({"rules", "disable", "redact"})
KNOWN = "rules, disable and redact"
_PLACE = re.compile(r"\(at line (\d{1,18}), column (\d{1,18})\)")
# What somebody else's module may raise when it is imported or asked for its folder.
FAULTS = (
    ImportError,
    SyntaxError,
    AttributeError,
    NameError,
    LookupError,
    OSError,
    TypeError,
    ValueError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A name in the configuration, and where it stands."""

    name: str
    file: str
    at: At


@dataclass(frozen=True, slots=True)
class UserPacks:
    """Folders and files of packs in the order in which they are read, rules that are switched off, words to
    redact, and what is wrong.

    `left_out` is the configuration that is not read because it may have come with an input; `lost_words` says that it
    names words to redact.
    """

    roots: tuple[Path, ...] = ()
    disable: tuple[Setting, ...] = ()
    redact: tuple[str, ...] = ()  # words that --redact hides too
    problems: tuple[Problem, ...] = ()
    left_out: Path | None = None
    lost_words: bool = False


NONE = UserPacks()


def find_user_packs(
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    inputs: Sequence[Input] = (),
    config: Path | None = None,
) -> UserPacks:
    """As `folder` (the current one) and the environment have it.

    `inputs` are those of the analysis. `config` is read instead of the folder's configuration, wherever it lies. Raises
    UsageError where there is no such file.
    """
    if config is not None:
        if not is_file(config) and str(config) != os.devnull:
            raise UsageError(f"--config {config}: there is no such file", f"--config {os.devnull} stands for none")
        return _read_user_packs(config, environment)
    folder = folder or Path()
    found = _find_config(folder)
    if found is None or not _may_be_theirs(folder, inputs):
        return _read_user_packs(found, environment)
    advice = f"if it is yours, `--config {found}` reads it"
    text = "not read, because it lies in an input or beside one and may have come with it"
    user = _read_user_packs(None, environment)
    problems = (Problem(str(found), At(), text, advice), *user.problems)
    return replace(user, problems=problems, left_out=found, lost_words=_mentions(found, "redact"))


def _find_config(folder: Path) -> Path | None:
    """`tf-postmortem.toml`, else a pyproject.toml with `[tool.tf-postmortem]`."""
    own, project = folder / f"{NAME}.toml", folder / "pyproject.toml"
    if is_file(own):
        return own
    return project if _mentions(project, NAME) else None


def _mentions(path: Path, word: str) -> bool:
    """Without parsing a file that may be a stranger's."""
    try:
        with path.open("rb") as file:
            return is_file(path) and word.encode() in file.read(MAX_BYTES)
    except OSError:
        return False


def _may_be_theirs(folder: Path, inputs: Iterable[Input]) -> bool:
    """Whether `folder` is an input, lies in one, or holds one that is unpacked: a folder, a log, a core.

    An archive beside a configuration was brought there as it is, and brought no other file.
    """
    here = Path(os.path.realpath(folder))
    for path in filter(None, map(find_local, inputs)):
        places = _places_of(path)
        if any(here.is_relative_to(place) for place in places):
            return True
        if any(place.is_relative_to(here) for place in places) and not is_archive(path):
            return True
    return False


def _places_of(path: Path) -> Sequence[Path]:
    """Where a path stands and where it leads: a link may lead out of a folder, and into it."""
    try:
        return Path(os.path.normpath(path.absolute())), Path(os.path.realpath(path))
    except (OSError, ValueError):  # the current folder is gone; a NUL
        return ()


def _read_user_packs(file: Path | None, environment: Mapping[str, str] | None) -> UserPacks:
    problems: list[Problem] = []
    config = _Config(Path()) if file is None else _read_config(file, problems)
    roots = [*_installed(problems), *_home(os.environ if environment is None else environment)]
    for setting in _names(config, "rules", problems):
        path = (config.file.parent / setting.name).expanduser()
        if is_file(path) or is_folder(path):
            roots.append(path)
        else:
            advice = f"the path is relative to {config.file.parent.resolve()}"
            problems.append(Problem(setting.file, setting.at, f"rules: there is no {setting.name}", advice))
    disable, words = (tuple(_names(config, key, problems)) for key in ("disable", "redact"))
    return UserPacks(tuple(roots), disable, tuple(word.name for word in words), tuple(problems))


@dataclass(frozen=True, slots=True)
class _Config:
    """The table of a file, with the file's text to find places in: tomllib tells none."""

    file: Path
    text: str = ""
    table: Mapping[str, object] = field(default_factory=dict)

    def at(self, *words: str) -> At:
        """The first place of the last word behind the others."""
        end = 0
        for word in words:
            end = max(self.text.find(word, end), 0)
        return At(self.text.count("\n", 0, end) + 1, end - self.text.rfind("\n", 0, end))


def _read_config(file: Path, problems: list[Problem]) -> _Config:
    """Of a pyproject.toml the table `[tool.tf-postmortem]`."""
    config = _read_toml(file, problems)
    table: object = config.table
    if file.name == "pyproject.toml":
        tools = config.table.get("tool", {})
        table = tools.get(NAME, {}) if isinstance(tools, Mapping) else {}
    if not isinstance(table, Mapping):
        text, advice = f"[tool.{NAME}] is no table", f"it has the keys {KNOWN}"
        problems.append(Problem(str(config.file), config.at(NAME), text, advice))
        return _Config(config.file)
    for unknown in sorted(set(table) - KEYS):
        text, advice = f"unknown key {unknown!r}", f"{KNOWN} are known"
        problems.append(Problem(str(config.file), config.at(unknown), text, advice))
    return replace(config, table=table)


def _read_toml(path: Path, problems: list[Problem]) -> _Config:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES} bytes")
        import tomllib

        text = path.read_text("utf-8")
        return _Config(path, text, tomllib.loads(text))
    except (OSError, ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        found = _PLACE.search(str(error))
        at = At(int(found[1]), int(found[2])) if found else At()
        text, advice = f"cannot be read as configuration: {error}", 'write it as rules = ["FOLDER"] in TOML'
        problems.append(Problem(str(path), at, text, advice))
        return _Config(path)


def _names(config: _Config, key: str, problems: list[Problem]) -> list[Setting]:
    raw = config.table.get(key, [])
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        text, advice = f"{key} is no list of texts", f'write {key} = ["NAME"]'
        problems.append(Problem(str(config.file), config.at(key), text, advice))
        return []
    return [Setting(name, str(config.file), config.at(key, name)) for name in raw]


def _home(environment: Mapping[str, str]) -> Iterator[Path]:
    """`$XDG_CONFIG_HOME/tf-postmortem/rules`, else `~/.config/tf-postmortem/rules`."""
    base, home = Path(environment.get("XDG_CONFIG_HOME", "")), Path(environment.get("HOME", ""))
    folder = (base if base.is_absolute() else home / ".config") / NAME / "rules"
    if folder.is_absolute() and is_folder(folder):  # the XDG specification ignores others, which the current folder has
        yield folder


def _installed(problems: list[Problem]) -> Iterator[Path]:
    """Packs of installed packages:

    an entry point names a package that holds them, or something that gives their path.
    """
    if not _may_be_installed():
        return
    import importlib.metadata  # with all of `email`: a fifteenth of the program's start

    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found = list(_paths_of(point))
            if lacking := [path for path in found if not path.exists()]:
                raise OSError(f"there is no {lacking[0]}")
            yield from found
        except FAULTS as error:
            text = f"{point.name} = {point.value} gives no rule packs: {type(error).__name__}: {error}"
            problems.append(Problem(f"the entry point {GROUP}", At(), text, "repair or remove the package"))


def _may_be_installed() -> bool:
    """Whether any package's entry points tell of our group, or lie where only `importlib.metadata` can look."""
    places = [Path(place) for place in sys.path]
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if len(finders) > 1 or any(map(is_file, places)):  # more than Python's own finder; a zip
        return True
    for file in (file for place in places for file in place.glob("*-[iI][nN][fF][oO]/entry_points.txt")):
        with suppress(OSError):
            if GROUP.encode() in file.read_bytes():
                return True
    return False


def _paths_of(point: importlib.metadata.EntryPoint) -> Iterable[Path]:
    if not point.attr:  # a package's folder is found without running it
        import importlib.util

        spec = importlib.util.find_spec(point.module)
        if spec is None or not spec.submodule_search_locations:
            raise ImportError(f"{point.module} is no package")
        return [Path(folder) for folder in spec.submodule_search_locations]
    given = point.load()
    given = given() if callable(given) else given
    return [Path(given)] if isinstance(given, str | os.PathLike) else [Path(one) for one in given]
