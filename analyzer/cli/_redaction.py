"""What `--redact` does, the same for every command. No command of its own.

The names are chosen once and replaced before any output is made. Each output is searched for them before any output is
written.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import analyzer

if TYPE_CHECKING:
    from analyzer.redact.rename import Renaming
    from analyzer.report.document import WrittenIncident
    from analyzer.rules.packs.user_packs import UserPacks

T = TypeVar("T")


def choose_names(
    incident: Mapping[str, Any],
    redact_words: Sequence[str] = (),
    extra_texts: Iterable[str] = (),
    user_packs: UserPacks | None = None,
) -> Renaming:
    """Return the stable names for the identifiers in a JSON object. The same incident always gets the same names.

    `redact_words` and those of the configuration are hidden as well. `extra_texts` are what an output shows besides the
    incident; their names are numbered last. `user_packs`: the packs and the configuration of the analysis; None takes
    those of the current folder. The log that was held back is written with its names hidden.
    """
    from analyzer.cli._log import release_log_with
    from analyzer.redact.identifiers import find_identifiers
    from analyzer.redact.log_output import held_messages
    from analyzer.redact.rename import assign_stable_names
    from analyzer.redact.vocabulary import list_words
    from analyzer.rules.packs.user_packs import find_user_packs

    user_packs = find_user_packs() if user_packs is None else user_packs
    program_words = _program_words(user_packs) | list_words(_rule_ids(incident))
    texts, words = list(extra_texts), (*redact_words, *user_packs.redact)
    renaming = assign_stable_names(find_identifiers({**incident, "more": texts}, words, program_words))
    if held := held_messages():  # the log names more than the incident does
        texts += held
        release_log_with(assign_stable_names(find_identifiers({**incident, "more": texts}, words, program_words)))
    return renaming


def choose_incident_names(
    incident: WrittenIncident,
    redact_words: Sequence[str] = (),
    extra_texts: Iterable[str] = (),
    user_packs: UserPacks | None = None,
) -> Renaming:
    """Return `choose_names` of the written incident."""
    from analyzer.report.encode import to_plain

    return choose_names(to_plain(incident), redact_words, extra_texts, user_packs)


@functools.cache
def _program_words(user_packs: UserPacks) -> frozenset[str]:
    """Return the words of the packs, the templates and the program itself."""
    from analyzer.paths import cache_dir
    from analyzer.redact.vocabulary import list_words, program_words
    from analyzer.resources import templates_dir
    from analyzer.rules.packs.cache import load_packs

    packs = load_packs((), cache_dir(), user_packs)
    sentences = [
        text for rule in packs.rules.values() for text in (rule.id, rule.title, rule.summary, *rule.remediation)
    ]
    templates = [path.read_text("utf-8") for path in sorted((templates_dir() / "report").iterdir())]
    return list_words((*sentences, *templates)) | program_words(Path(analyzer.__file__).parent)


def _rule_ids(incident: Mapping[str, Any]) -> list[str]:
    """Return the ids of rules, causes and packs in the incident: packs given with `--rules` may have brought in new
    ones.
    """
    rows: list[Mapping[str, str | None]] = [*incident.get("root_causes", ()), *incident.get("findings", ())]
    return [row[key] or "" for row in rows for key in ("rule", "cause", "pack")]


def redact_incident(incident: WrittenIncident, renaming: Renaming | None) -> WrittenIncident:
    """Return the incident with its names replaced, or unchanged if `renaming` is None."""
    if renaming is None:
        return incident
    from analyzer.redact.rename import rename
    from analyzer.report.decode import rewrite_incident

    return rewrite_incident(incident, lambda plain: rename(plain, renaming))


def redact_names(value: T, renaming: Renaming | None) -> T:
    """Return the JSON value with its names replaced, or unchanged if `renaming` is None."""
    if renaming is None:
        return value
    from analyzer.redact.rename import rename

    return rename(value, renaming)


def check_output(text: str, renaming: Renaming | None) -> str:
    """Return the text. Raises AnalyzerError if it still holds a name."""
    if renaming is not None:
        from analyzer.redact.leak_check import check_clean

        check_clean(text, renaming)
    return text


def redact_lines(lines: Iterable[str], renaming: Renaming | None) -> list[str]:
    """Return the lines with their names replaced. Raises AnalyzerError if one still holds a name."""
    return [check_output(line if renaming is None else renaming.replace_names(line), renaming) for line in lines]
