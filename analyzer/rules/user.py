"""Where a user's own packs are found: installed packages, ~/.config, and the configuration of the current folder.

The later ones may override the earlier: packages, then the home folder, then the folder in which one works. Whatever is
wrong here is a problem that the report tells; it never stops an analysis.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.paths import is_file, is_folder
from analyzer.rules.places import At, Problem

if TYPE_CHECKING:
    import importlib.metadata

GROUP = "tf_postmortem.rules"
NAME = "tf-postmortem"
MAX_BYTES = 1024 * 1024
KEYS = frozenset({"rules", "disable", "redact"})
KNOWN = "rules, disable and redact"
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
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
    """

    roots: tuple[Path, ...] = ()
    disable: tuple[Setting, ...] = ()
    redact: tuple[str, ...] = ()  # words that --redact hides too
    problems: tuple[Problem, ...] = ()


NONE = UserPacks()


def find_user_packs(folder: Path | None = None, environment: Mapping[str, str] | None = None) -> UserPacks:
    """As the current folder and the environment have it."""
    problems: list[Problem] = []
    config = _read_config(folder or Path(), problems)
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


def _read_config(folder: Path, problems: list[Problem]) -> _Config:
    """`tf-postmortem.toml`, else `[tool.tf-postmortem]` of pyproject.toml."""
    own, project = folder / f"{NAME}.toml", folder / "pyproject.toml"
    config = _read_toml(own if is_file(own) or not is_file(project) else project, problems)
    table: object = config.table
    if config.file == project:
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
    """Empty where there is none."""
    if not is_file(path):
        return _Config(path)
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
    base, home = environment.get("XDG_CONFIG_HOME"), environment.get("HOME")
    folder = Path(base) if base else Path(home) / ".config" if home else None
    if folder is not None and is_folder(folder / NAME / "rules"):
        yield folder / NAME / "rules"


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
