"""Where a user's own packs are found: installed packages, ~/.config, and the configuration of the current folder.

The later ones may override the earlier: packages, then the home folder, then the folder in which one works. Whatever is
wrong here is a problem that the report tells; it never stops an analysis.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

GROUP = "tf_postmortem.rules"
NAME = "tf-postmortem"
MAX_BYTES = 1024 * 1024
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
class UserPacks:
    """Folders and files of packs in the order in which they are read, rules that are switched off, words to
    redact, and what is wrong.
    """

    roots: tuple[Path, ...] = ()
    disable: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()  # words that --redact hides too
    problems: tuple[str, ...] = ()


NONE = UserPacks()


def find_user_packs(folder: Path | None = None, environment: Mapping[str, str] | None = None) -> UserPacks:
    """As the current folder and the environment have it."""
    problems: list[str] = []
    config, origin = _read_config(folder or Path(), problems)
    roots = [*_installed(problems), *_home(os.environ if environment is None else environment)]
    for name in _names(config, "rules", origin, problems):
        path = (origin.parent / name).expanduser()
        if path.exists():
            roots.append(path)
        else:
            problems.append(f"{origin}: rules: there is no {name}")
    disable, words = (tuple(_names(config, key, origin, problems)) for key in ("disable", "redact"))
    return UserPacks(tuple(roots), disable, words, tuple(problems))


def _read_config(folder: Path, problems: list[str]) -> tuple[Mapping[str, object], Path]:
    """`tf-postmortem.toml`, else `[tool.tf-postmortem]` of pyproject.toml."""
    own, project = folder / f"{NAME}.toml", folder / "pyproject.toml"
    if own.is_file():
        config: object = _read_toml(own, problems)
        path = own
    else:
        config, path = _read_toml(project, problems).get("tool", {}) if project.is_file() else {}, project
        config = config.get(NAME, {}) if isinstance(config, Mapping) else {}
    if not isinstance(config, Mapping):
        problems.append(f"{path}: [tool.{NAME}] is a table with the keys rules, disable and redact")
        return {}, path
    for unknown in sorted(set(config) - {"rules", "disable", "redact"}):
        problems.append(f"{path}: unknown key {unknown!r}; rules, disable and redact are known")
    return config, path


def _read_toml(path: Path, problems: list[str]) -> Mapping[str, object]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES} bytes")
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        problems.append(f"{path}: cannot be read as configuration: {error}")
        return {}


def _names(config: Mapping[str, object], key: str, origin: Path, problems: list[str]) -> list[str]:
    raw = config.get(key, [])
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        problems.append(f"{origin}: {key} is a list of texts")
        return []
    return raw


def _home(environment: Mapping[str, str]) -> Iterator[Path]:
    """`$XDG_CONFIG_HOME/tf-postmortem/rules`, else `~/.config/tf-postmortem/rules`."""
    base, home = environment.get("XDG_CONFIG_HOME"), environment.get("HOME")
    folder = Path(base) if base else Path(home) / ".config" if home else None
    if folder is not None and (folder / NAME / "rules").is_dir():
        yield folder / NAME / "rules"


def _installed(problems: list[str]) -> Iterator[Path]:
    """Packs of installed packages:

    an entry point names a package that holds them, or something that gives their path.
    """
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found = list(_paths_of(point))
            if lacking := [path for path in found if not path.exists()]:
                raise OSError(f"there is no {lacking[0]}")
            yield from found
        except FAULTS as error:
            problems.append(
                f"the rule packs of the package entry point {point.name} ({point.value}): {type(error).__name__}: {error}"  # noqa: E501
            )


def _paths_of(point: importlib.metadata.EntryPoint) -> Iterable[Path]:
    if not point.attr:  # a package's folder is found without running it
        spec = importlib.util.find_spec(point.module)
        if spec is None or not spec.submodule_search_locations:
            raise ImportError(f"{point.module} is no package")
        return [Path(folder) for folder in spec.submodule_search_locations]
    given = point.load()
    given = given() if callable(given) else given
    return [Path(given)] if isinstance(given, str | os.PathLike) else [Path(one) for one in given]
