"""Find a user's own packs: in installed packages, in ~/.config, and in the configuration of the current folder.

Later ones may override earlier ones: packages, then the home folder, then the current folder. Errors become problems
that the report lists; they never stop an analysis.

A configuration of the current folder can disable rules, so it must not come from the incident itself. It is not read
if it lies in an input, or beside an input that was unpacked already.
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

from analyzer.bundle import Input, is_archive, local_path
from analyzer.errors import UsageError
from analyzer.paths import is_file, is_folder
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.signals.types import SourcePosition

if TYPE_CHECKING:
    import importlib.metadata

ENTRY_POINT_GROUP = "tf_postmortem.rules"
PROGRAM_NAME = "tf-postmortem"
MAX_CONFIG_BYTES = 1024 * 1024
CONFIG_KEYS = frozenset({"rules", "disable", "redact"})
CONFIG_KEYS_TEXT = "rules, disable and redact"
_TOML_ERROR_POSITION = re.compile(r"\(at line (\d{1,18}), column (\d{1,18})\)")
# Exceptions that a foreign module may raise when it is imported or asked for its folder.
IMPORT_ERRORS = (
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
class ConfigValue:
    """A text of the configuration, and its position in the file."""

    name: str
    file: str
    position: SourcePosition


@dataclass(frozen=True, slots=True)
class UserPacks:
    """The user's settings.

    `roots` are the folders and files of packs, in the order in which they are read. `unread_config` is a configuration
    that was not read because it may have come with an input; `unread_redact_words` says whether it contains words to
    redact.
    """

    roots: tuple[Path, ...] = ()
    disable: tuple[ConfigValue, ...] = ()
    redact: tuple[str, ...] = ()  # words that --redact hides too
    problems: tuple[PackProblem, ...] = ()
    unread_config: Path | None = None
    unread_redact_words: bool = False


NO_USER_PACKS = UserPacks()


def find_user_packs(
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    inputs: Sequence[Input] = (),
    config: Path | None = None,
) -> UserPacks:
    """Return the user's packs and settings.

    `folder` is the current folder by default, `environment` is os.environ by default. `inputs` are the inputs of the
    analysis. If `config` is given, it is read instead of the folder's configuration, wherever it lies. Raises
    UsageError if that file does not exist.
    """
    if config is not None:
        if not is_file(config) and str(config) != os.devnull:
            raise UsageError(f"--config {config}: no such file", f"--config {os.devnull} means no configuration")
        return _read_user_packs(config, environment)
    folder = folder or Path()
    config_file = _find_config(folder)
    if config_file is None or not _may_belong_to_input(folder, inputs):
        return _read_user_packs(config_file, environment)
    advice = f"if it is your own, read it with `--config {config_file}`"
    reason = "not read: it lies in or beside an input, and may have come with it"
    user = _read_user_packs(None, environment)
    problems = (PackProblem(str(config_file), SourcePosition(), reason, advice), *user.problems)
    return replace(
        user, problems=problems, unread_config=config_file, unread_redact_words=_contains_word(config_file, "redact")
    )


def _find_config(folder: Path) -> Path | None:
    """Return `tf-postmortem.toml`, or a pyproject.toml that mentions `tf-postmortem`, or None."""
    own_file, pyproject = folder / f"{PROGRAM_NAME}.toml", folder / "pyproject.toml"
    if is_file(own_file):
        return own_file
    return pyproject if _contains_word(pyproject, PROGRAM_NAME) else None


def _contains_word(path: Path, word: str) -> bool:
    """Return whether the file contains the word. The file is not parsed, because it may not be trusted."""
    if not is_file(path):  # asked first: to open a FIFO would wait for its writer
        return False
    try:
        with path.open("rb") as file:
            return word.encode() in file.read(MAX_CONFIG_BYTES)
    except OSError:
        return False


def _may_belong_to_input(folder: Path, inputs: Iterable[Input]) -> bool:
    """Return whether `folder` is an input, lies in an input, or contains an unpacked input: a folder, a log, a core.

    An archive beside a configuration does not count, because it is copied without other files.
    """
    real_folder = Path(os.path.realpath(folder))
    for path in filter(None, map(local_path, inputs)):
        input_paths = _absolute_and_real_path(path)
        if any(real_folder.is_relative_to(input_path) for input_path in input_paths):
            return True
        if any(input_path.is_relative_to(real_folder) for input_path in input_paths) and not is_archive(path):
            return True
    return False


def _absolute_and_real_path(path: Path) -> Sequence[Path]:
    """Return the path itself and its target. A link can lead out of a folder, and into it."""
    try:
        return Path(os.path.normpath(path.absolute())), Path(os.path.realpath(path))
    except (OSError, ValueError):  # the current folder was deleted, or the path contains a NUL
        return ()


def _read_user_packs(file: Path | None, environment: Mapping[str, str] | None) -> UserPacks:
    problems: list[PackProblem] = []
    config = _Config(Path()) if file is None else _read_config(file, problems)
    roots = [*_installed_packs(problems), *_home_folder(os.environ if environment is None else environment)]
    for setting in _read_string_list(config, "rules", problems):
        path = (config.file.parent / setting.name).expanduser()
        if is_file(path) or is_folder(path):
            roots.append(path)
        else:
            advice = f"the path is relative to {config.file.parent.resolve()}"
            problems.append(
                PackProblem(setting.file, setting.position, f"rules: {setting.name} does not exist", advice)
            )
    disable, words = (tuple(_read_string_list(config, key, problems)) for key in ("disable", "redact"))
    return UserPacks(tuple(roots), disable, tuple(word.name for word in words), tuple(problems))


@dataclass(frozen=True, slots=True)
class _Config:
    """The settings of a file, and its text. tomllib reports no positions, so they are searched in the text."""

    file: Path
    text: str = ""
    table: Mapping[str, object] = field(default_factory=dict)

    def position_of(self, *words: str) -> SourcePosition:
        """Return the position of the last word, searched after the other words."""
        end = 0
        for word in words:
            end = max(self.text.find(word, end), 0)
        return SourcePosition(self.text.count("\n", 0, end) + 1, end - self.text.rfind("\n", 0, end))


def _read_config(file: Path, problems: list[PackProblem]) -> _Config:
    """Return the settings of the file; for a pyproject.toml, its table `[tool.tf-postmortem]`."""
    config = _read_toml(file, problems)
    table: object = config.table
    if file.name == "pyproject.toml":
        tools = config.table.get("tool", {})
        table = tools.get(PROGRAM_NAME, {}) if isinstance(tools, Mapping) else {}
    if not isinstance(table, Mapping):
        text, advice = f"[tool.{PROGRAM_NAME}] is not a table", f"write a table with the keys {CONFIG_KEYS_TEXT}"
        problems.append(PackProblem(str(config.file), config.position_of(PROGRAM_NAME), text, advice))
        return _Config(config.file)
    for unknown in sorted(set(table) - CONFIG_KEYS):
        text, advice = f"unknown key {unknown!r}", f"the known keys are {CONFIG_KEYS_TEXT}"
        problems.append(PackProblem(str(config.file), config.position_of(unknown), text, advice))
    return replace(config, table=table)


def _read_toml(path: Path, problems: list[PackProblem]) -> _Config:
    try:
        if path.stat().st_size > MAX_CONFIG_BYTES:
            raise ValueError(f"larger than {MAX_CONFIG_BYTES} bytes")
        import tomllib

        text = path.read_text("utf-8")
        return _Config(path, text, tomllib.loads(text))
    except (OSError, ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        match = _TOML_ERROR_POSITION.search(str(error))
        position = SourcePosition(int(match[1]), int(match[2])) if match else SourcePosition()
        text, advice = f"cannot be read as configuration: {error}", 'write it as rules = ["FOLDER"] in TOML'
        problems.append(PackProblem(str(path), position, text, advice))
        return _Config(path)


def _read_string_list(config: _Config, key: str, problems: list[PackProblem]) -> list[ConfigValue]:
    raw = config.table.get(key, [])
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        text, advice = f"{key} is not a list of texts", f'write {key} = ["NAME"]'
        problems.append(PackProblem(str(config.file), config.position_of(key), text, advice))
        return []
    return [ConfigValue(name, str(config.file), config.position_of(key, name)) for name in raw]


def _home_folder(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield `$XDG_CONFIG_HOME/tf-postmortem/rules`, or `~/.config/tf-postmortem/rules`, if it exists."""
    base, home = Path(environment.get("XDG_CONFIG_HOME", "")), Path(environment.get("HOME", ""))
    folder = (base if base.is_absolute() else home / ".config") / PROGRAM_NAME / "rules"
    if folder.is_absolute() and is_folder(folder):  # the XDG specification ignores relative paths
        yield folder


def _installed_packs(problems: list[PackProblem]) -> Iterator[Path]:
    """Yield the pack folders and files of installed packages.

    An entry point names a package that contains packs, or an object that gives their path.
    """
    if not _may_have_entry_points():
        return
    import importlib.metadata  # lazy: it imports `email`, which takes a fifteenth of the program's start

    for entry_point in sorted(
        importlib.metadata.entry_points(group=ENTRY_POINT_GROUP), key=lambda entry_point: entry_point.name
    ):
        try:
            paths = list(_paths_of_entry_point(entry_point))
            if missing := [path for path in paths if not path.exists()]:
                raise OSError(f"{missing[0]} does not exist")
            yield from paths
        except IMPORT_ERRORS as error:
            text = f"{entry_point.name} = {entry_point.value} gave no rule packs: {type(error).__name__}: {error}"
            problems.append(
                PackProblem(
                    f"the entry point {ENTRY_POINT_GROUP}", SourcePosition(), text, "repair or remove the package"
                )
            )


def _may_have_entry_points() -> bool:
    """Return whether an installed package may have entry points of our group.

    Importing importlib.metadata is slow, so the files are searched for the name of the group first. If packages lie
    where only importlib.metadata can look, the answer is True.
    """
    search_paths = [Path(search_path) for search_path in sys.path]
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if len(finders) > 1 or any(map(is_file, search_paths)):  # finders besides Python's own, or a zip file on the path
        return True
    for file in (
        file for search_path in search_paths for file in search_path.glob("*-[iI][nN][fF][oO]/entry_points.txt")
    ):
        with suppress(OSError):
            if ENTRY_POINT_GROUP.encode() in file.read_bytes():
                return True
    return False


def _paths_of_entry_point(entry_point: importlib.metadata.EntryPoint) -> Iterable[Path]:
    """Return the paths of packs that the entry point names. Raises any of IMPORT_ERRORS."""
    if not entry_point.attr:  # the folder of a package can be found without running its code
        import importlib.util

        spec = importlib.util.find_spec(entry_point.module)
        if spec is None or not spec.submodule_search_locations:
            raise ImportError(f"{entry_point.module} is not a package")
        return [Path(folder) for folder in spec.submodule_search_locations]
    loaded = entry_point.load()
    loaded = loaded() if callable(loaded) else loaded
    return [Path(loaded)] if isinstance(loaded, str | os.PathLike) else [Path(path) for path in loaded]
