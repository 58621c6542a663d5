"""What no line says but several files together do, as events of kind `derived`; rules give them causes."""

from __future__ import annotations

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
from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.diagnosis.loss_jumps import derive_loss_leaps
from analyzer.diagnosis.lost_peers import (
    derive_absent_member,
    derive_absent_peers,
    derive_lost_peers,
    derive_never_seen,
)
from analyzer.diagnosis.stack_dumps import derive_odd_stack
from analyzer.diagnosis.stated_facts import derive_differing_settings, derive_exits, derive_settings
from analyzer.diagnosis.stragglers import derive_stragglers
from analyzer.model import Event


def derive_events(context: DerivationContext) -> list[Event]:
    """All derived events."""
    return [event for derivation in DERIVATIONS for event in derivation(context)]


DERIVATIONS = (
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
)
