"""What `--redact` does, the same for every command. No command of its own.

The names are chosen once and replaced before any output is made. Each output is searched for them before any output is
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

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
    from analyzer.redact.log_output import held_messages
    from analyzer.report.redaction import assign_names
    from analyzer.rules.packs.user_packs import find_user_packs

    user_packs = find_user_packs() if user_packs is None else user_packs
    texts = list(extra_texts)
    if held := held_messages():  # the log names more than the incident does
        release_log_with(assign_names(incident, redact_words, [*texts, *held], user_packs))
    return assign_names(incident, redact_words, texts, user_packs)


def choose_incident_names(
    incident: WrittenIncident,
    redact_words: Sequence[str] = (),
    extra_texts: Iterable[str] = (),
    user_packs: UserPacks | None = None,
) -> Renaming:
    """Return `choose_names` of the written incident."""
    from analyzer.report.encode import to_plain

    return choose_names(to_plain(incident), redact_words, extra_texts, user_packs)


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
