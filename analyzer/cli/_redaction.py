"""What `--redact` does, the same for every command. No command of its own.

Names are chosen once, all outputs are made from what is left, and each is looked through before any is written.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import analyzer

if TYPE_CHECKING:
    from analyzer.redact.rename import Renaming
    from analyzer.rules.user import UserPacks

T = TypeVar("T")


def choose_names(
    incident: Mapping[str, object],
    words: Sequence[str] = (),
    more: Iterable[str] = (),
    user: UserPacks | None = None,
) -> Renaming:
    """The same incident always gets the same names. `words`, and those of the configuration, are hidden too.

    `more`: texts that an output holds beside the incident; names of theirs are counted last.
    `user`: the packs and the configuration that the analysis had; None: those of the current folder.
    """
    from analyzer.redact.originals import find_originals
    from analyzer.redact.own import own_words
    from analyzer.redact.rename import name_stably
    from analyzer.rules.user import find_user_packs

    user = find_user_packs() if user is None else user
    own = _program_words(user) | own_words(_ids(incident))
    return name_stably(find_originals({**incident, "more": list(more)}, (*words, *user.redact), own))


@functools.cache
def _program_words(user: UserPacks) -> frozenset[str]:
    """The words of the packs, the templates and the program itself."""
    from analyzer.paths import cache_dir
    from analyzer.redact.own import own_words, program_words
    from analyzer.resources import templates_dir
    from analyzer.rules.cache import load_packs

    packs = load_packs((), cache_dir(), user)
    said = [text for rule in packs.rules.values() for text in (rule.id, rule.title, rule.summary, *rule.remediation)]
    templates = [path.read_text("utf-8") for path in sorted((templates_dir() / "report").iterdir())]
    return own_words((*said, *templates)) | program_words(Path(analyzer.__file__).parent)


def _ids(incident: Mapping[str, object]) -> list[str]:
    """Of rules and causes, which packs of `--rules` may have brought in."""
    from analyzer.report.tolerant import items, text

    rows = (*items(incident, "root_causes"), *items(incident, "findings"))
    return [text(row, key) for row in rows for key in ("rule", "cause", "pack")]


def redact(value: T, renaming: Renaming | None) -> T:
    """A JSON object without the names; as it is where nothing is to be hidden."""
    if renaming is None:
        return value
    from analyzer.redact.rename import rename

    return rename(value, renaming)


def check(text: str, renaming: Renaming | None) -> str:
    """The text. Raises AnalyzerError where a name is left in it."""
    if renaming is not None:
        from analyzer.redact.check import check_clean

        check_clean(text, renaming)
    return text


def redact_lines(lines: Iterable[str], renaming: Renaming | None) -> list[str]:
    return [check(line if renaming is None else renaming.hide(line), renaming) for line in lines]
