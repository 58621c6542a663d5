"""The files of all inputs, listed but not opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.bundle.folder import describe_file_type, open_regular_file, walk_folder
from analyzer.bundle.names import make_printable
from analyzer.bundle.remote import Input, RemoteFile, Url, list_remote, printable_url, url_file_name, why_unreachable
from analyzer.bundle.types import Loss
from analyzer.errors import InputError

INPUT_HINT = "give a tarball, a .zip, a folder, or a single log or core file"
PIPE_HINT = "Give - to read standard input. Write what another pipe holds to a file first, and give that file."


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of an input, not yet opened.

    `label` is its path in the bundle, empty if the file is the bundle. `is_input`: the file is itself an input, so a
    link is followed.
    """

    path: Path | RemoteFile
    label: str
    name: str  # for messages if `label` is empty
    is_input: bool = False

    @property
    def size(self) -> int | None:
        """Size in bytes as stored; None if unknown, perhaps because the file is gone."""
        return self.path.size if isinstance(self.path, RemoteFile) else file_size(self.path, self.is_input)


def file_size(path: Path, follow: bool = False) -> int | None:
    """Return the size of a file in bytes, or None if it cannot be found."""
    try:
        return path.stat(follow_symlinks=follow).st_size
    except OSError:
        return None


def list_input_files(inputs: Sequence[Input]) -> Iterator[InputFile | Loss]:
    """Yield the files of all inputs in the order in which they are read, and a Loss for what cannot be listed.

    With one input, paths are those inside it; with several, each path begins with its input's name. Raises InputError
    at once if no input can be opened.
    """
    problems = {path: problem for path in inputs if (problem := _why_unreadable(path))}
    if len(problems) == len(set(inputs)):
        piped = any(str(path) == "-" or "a FIFO" in problem for path, problem in problems.items())
        raise InputError("\n".join(problems.values()) or "no input was given", PIPE_HINT if piped else INPUT_HINT)
    return _list_inputs(inputs, problems)


def _why_unreadable(path: Input) -> str | None:
    """Return why an input cannot be read, or None."""
    if not isinstance(path, Path):
        return why_unreachable(path)
    name = make_printable(str(path))
    try:
        if path.is_dir():
            return None if next(path.iterdir(), None) else f"{name}: the folder is empty"
        kind = describe_file_type(path.stat().st_mode)
        if kind:
            return f"{name}: {kind}, not a file"
        descriptor, status = open_regular_file(path, follow=True)
        os.close(descriptor)
    except OSError as error:
        return f"{name}: {error.strerror}"
    except ValueError:  # a NUL in the name
        return f"{name}: not a file name"
    return None if status.st_size else f"{name}: the file is empty"


def _list_inputs(inputs: Sequence[Input], problems: Mapping[Input, str]) -> Iterator[InputFile | Loss]:
    for path, label in _label_inputs(inputs).items():
        if problem := problems.get(path):
            yield Loss(label or _input_name(path), None, problem)
        elif not isinstance(path, Path):
            yield from _list_url(path, label)
        elif not path.is_dir():
            yield InputFile(path, label, path.name, is_input=True)
        else:
            for below, file, unlisted in walk_folder(path):
                name = f"{label}/{below}".strip("/")
                yield (
                    Loss(make_printable(name or path.name), None, unlisted) if unlisted else InputFile(file, name, name)
                )


def _absolute(path: Path) -> Path:
    try:
        return path.absolute()
    except OSError:  # the current folder was deleted
        return path


def _list_url(url: Url, label: str) -> Iterator[InputFile]:
    for below, remote in list_remote(url):
        if below:
            name = make_printable(f"{label}/{below}".strip("/"))
            yield InputFile(remote, name, name)
        else:
            yield InputFile(remote, label, url_file_name(url), is_input=True)


def _label_inputs(inputs: Sequence[Input]) -> dict[Input, str]:
    """Return the prefix of each input's paths: empty for a single input, else its name, or more of its path if names
    repeat.
    """
    given = {_absolute(path) if isinstance(path, Path) else path: path for path in reversed(inputs)}
    distinct = list(reversed(given))
    if len(distinct) == 1:
        return {inputs[0]: ""}
    labels = [_input_name(source) for source in distinct]
    if len(set(labels)) < len(labels):
        root = os.path.commonpath([str(source.parent) for source in distinct if isinstance(source, Path)] or ["/"])
        labels = [
            str(source.relative_to(root)) if isinstance(source, Path) else printable_url(source).partition("://")[2]
            for source in distinct
        ]
    return {given[source]: label for source, label in zip(distinct, labels, strict=True)}


def _input_name(source: Input) -> str:
    return source.name if isinstance(source, Path) else url_file_name(source)
