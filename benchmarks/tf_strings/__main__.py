"""`python -m tf_strings [VERSION=]PATH... [--python PYTHON]... [--out FILE]`: write the table of known messages.

PATH is a library, or a folder with the libraries of a TensorFlow: by default, that of the running interpreter.
PYTHON is an interpreter that has a TensorFlow.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from analyzer.paths import cache_dir
from analyzer.rules.load import load_packs
from tf_strings.components import component_of
from tf_strings.literals import read_literals
from tf_strings.messages import Message, is_failure, join_messages
from tf_strings.recognition import find_known
from tf_strings.table import write_table, write_wordings
from tf_strings.wordings import count_wordings, reasons_for_few_wordings

_LIBRARIES = ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2")
_FIND = """\
import importlib.metadata, importlib.util, pathlib
spec = importlib.util.find_spec("tensorflow")
if spec:
    for name in importlib.metadata.packages_distributions()["tensorflow"]:
        print(importlib.metadata.version(name), pathlib.Path(spec.origin).parent, sep="=")
        break
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tf_strings", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="[VERSION=]PATH")
    parser.add_argument("--python", action="append", default=[], help="an interpreter that has a TensorFlow")
    parser.add_argument("--out", type=Path, help="the file to write; default: standard output")
    options = parser.parse_args(arguments)
    paths = [*options.paths, *map(_find_tensorflow, options.python)] or [_find_tensorflow(sys.executable)]
    if not all(paths):
        parser.error("no TensorFlow: name its folder, or an interpreter that has it (--python)")
    messages = {}
    for path in paths:
        version, _, folder = path.rpartition("=")
        messages[version or Path(folder).name] = read_messages(_find_libraries(Path(folder)))
    messages = dict(
        sorted(messages.items(), key=lambda item: [int(part) for part in item[0].split(".") if part.isdigit()])
    )
    distinct = {message: None for version in messages.values() for group in version.values() for message in group}
    packs = load_packs()
    meanings = find_known(list(distinct), packs, cache_dir())
    lines = [*write_table(messages, meanings), *write_wordings(count_wordings(packs), reasons_for_few_wordings())]
    text = "".join(f"{line}\n" for line in lines)
    if options.out is None:
        sys.stdout.write(text)
    else:
        options.out.write_text(text)
    return 0


def _find_tensorflow(python: str) -> str:
    """Return VERSION=FOLDER of the interpreter's TensorFlow; "" if it has none."""
    search = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=True)
    return search.stdout.strip()


def _find_libraries(path: Path) -> list[Path]:
    return [path] if path.is_file() else [path / name for name in _LIBRARIES if (path / name).is_file()]


def read_messages(libraries: Iterable[Path]) -> dict[str, list[Message]]:
    """Return the failure messages of the libraries by component, each text once."""
    by_text: dict[str, dict[str, Message]] = {}
    for library in libraries:
        for message in join_messages(read_literals(library)):
            component = component_of(message.file)
            if component and is_failure(message):
                by_text.setdefault(component, {}).setdefault(message.text, message)
    return {component: list(texts.values()) for component, texts in by_text.items()}


if __name__ == "__main__":
    sys.exit(main())
