"""All derivations: facts that follow from several files together, as events of kind `derived`.

A derivation is a function with `@derives` in a file of this folder. `analyzer/signals/derived.py` declares the signals,
and rules assign causes to them. To add one, write its function here and its declaration there.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections import Counter
from collections.abc import Sequence
from functools import cache

from analyzer.diagnosis.derivation_context import REGISTERED_DERIVATIONS, Derivation, DerivationContext
from analyzer.model import Event

_log = logging.getLogger("analyzer.diagnosis")


@cache
def all_derivations() -> Sequence[Derivation]:
    """Return all derivations, in the order of the files' names and of the functions in them.

    Of events with the same time, file and line, the one that was derived first comes first.
    """
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return sorted(REGISTERED_DERIVATIONS, key=lambda derivation: derivation.__module__)  # stable


def derive_events(context: DerivationContext) -> list[Event]:
    """Return the events of all derivations."""
    events = [event for derivation in all_derivations() for event in derivation(context)]
    if _log.isEnabledFor(logging.INFO):
        counts = Counter(event.signal for event in events)
        _log.info("derived events: %s", ", ".join(f"{name} ({count})" for name, count in counts.items()) or "none")
    return events
