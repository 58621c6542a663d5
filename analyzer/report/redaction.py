"""Redaction of an incident: names are chosen once, replaced, and searched for in each output."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import analyzer
from analyzer.paths import cache_dir
from analyzer.redact.identifiers import find_identifiers
from analyzer.redact.leak_check import check_clean
from analyzer.redact.rename import Renaming, assign_stable_names, rename
from analyzer.redact.vocabulary import list_words, program_words
from analyzer.report.decode import rewrite_incident
from analyzer.report.document import WrittenIncident
from analyzer.report.encode import to_plain
from analyzer.resources import templates_dir
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.packs.user_packs import UserPacks


def assign_names(
    incident: Mapping[str, Any], redact_words: Sequence[str], extra_texts: Iterable[str], user_packs: UserPacks
) -> Renaming:
    """Return the stable names for the identifiers in a JSON object. The same incident always gets the same names.

    `redact_words` and those of the configuration are hidden as well. `extra_texts` are what an output shows besides the
    incident; their names are numbered last.
    """
    words = (*redact_words, *user_packs.redact)
    public_words = _program_words(user_packs) | list_words(_rule_ids(incident))
    return assign_stable_names(find_identifiers({**incident, "more": list(extra_texts)}, words, public_words))


def redact_written(
    incident: WrittenIncident, redact_words: Sequence[str], user_packs: UserPacks
) -> tuple[WrittenIncident, Renaming]:
    """Return the incident with its names replaced, and the renaming, with which outputs are checked."""
    renaming = assign_names(to_plain(incident), redact_words, (), user_packs)
    return rewrite_incident(incident, lambda plain: rename(plain, renaming)), renaming


def check_output(text: str, renaming: Renaming | None) -> str:
    """Return the text. Raises AnalyzerError if it still holds a name."""
    if renaming is not None:
        check_clean(text, renaming)
    return text


@functools.cache
def _program_words(user_packs: UserPacks) -> frozenset[str]:
    """Return the words of the packs, the templates and the program itself."""
    packs = load_packs((), cache_dir(), user_packs)
    sentences = [
        text for rule in packs.rules.values() for text in (rule.id, rule.title, rule.summary, *rule.remediation)
    ]
    pages = [path for folder in ("report", "history") for path in sorted((templates_dir() / folder).iterdir())]
    templates = [path.read_text("utf-8") for path in pages]
    return list_words((*sentences, *templates)) | program_words(Path(analyzer.__file__).parent)


def _rule_ids(incident: Mapping[str, Any]) -> list[str]:
    """Return the ids of rules, causes and packs in the incident: packs given with `--rules` may have brought in new
    ones.
    """
    rows: list[Mapping[str, str | None]] = [*incident.get("root_causes", ()), *incident.get("findings", ())]
    return [row[key] or "" for row in rows for key in ("rule", "cause", "pack")]
