"""All derivations: facts that follow from several files together, as events of kind `derived`.

Rules assign causes to these events. `analyzer/signals/derived.py` declares the signals.
"""

from __future__ import annotations

import logging
from collections import Counter

from analyzer.diagnosis.cluster_checks import (
    derive_cluster_differences,
    derive_duplicate_tasks,
    derive_foreign_addresses,
    derive_localhost_servers,
    derive_lone_trainers,
    derive_repeated_addresses,
    derive_shared_addresses,
    derive_wrong_addresses,
)
from analyzer.diagnosis.collective_checks import derive_late_member, derive_odd_members
from analyzer.diagnosis.derivation_context import Derivation, DerivationContext
from analyzer.diagnosis.hang_detection import (
    derive_hang_before_break,
    derive_odd_stack,
    derive_slowdown,
    derive_stood_at_start,
    derive_stood_still,
    derive_stopped_first,
)
from analyzer.diagnosis.loss_jumps import derive_loss_leaps
from analyzer.diagnosis.lost_peers import (
    derive_absent_member,
    derive_absent_peers,
    derive_lost_peers,
    derive_never_seen,
)
from analyzer.diagnosis.stated_facts import derive_differing_settings, derive_exits, derive_settings
from analyzer.diagnosis.stragglers import derive_stragglers
from analyzer.model import Event

_log = logging.getLogger("analyzer.diagnosis")

# In this order. Of events with the same time, file and line, the one that was derived first comes first.
DERIVATIONS: tuple[Derivation, ...] = (
    derive_lost_peers,
    derive_duplicate_tasks,
    derive_cluster_differences,
    derive_never_seen,
    derive_absent_peers,
    derive_odd_members,
    derive_late_member,
    derive_differing_settings,
    derive_settings,
    derive_exits,
    derive_wrong_addresses,
    derive_shared_addresses,
    derive_absent_member,
    derive_localhost_servers,
    derive_lone_trainers,
    derive_repeated_addresses,
    derive_foreign_addresses,
    derive_stragglers,
    derive_loss_leaps,
    derive_odd_stack,
    derive_stood_at_start,
    derive_stood_still,
    derive_hang_before_break,
    derive_stopped_first,
    derive_slowdown,
)


def derive_events(context: DerivationContext) -> list[Event]:
    """Return the events of all derivations."""
    events = [event for derivation in DERIVATIONS for event in derivation(context)]
    if _log.isEnabledFor(logging.INFO):
        counts = Counter(event.signal for event in events)
        _log.info("derived events: %s", ", ".join(f"{name} ({count})" for name, count in counts.items()) or "none")
    return events
