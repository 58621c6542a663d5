"""What no line says but several files together do, as events of kind `derived`; rules give them causes."""

from __future__ import annotations

from analyzer.diagnosis.claims import (
    clusters,
    duplicates,
    foreign_addresses,
    local_servers,
    lone_members,
    repeated_addresses,
    same_address,
    wrong_addresses,
)
from analyzer.diagnosis.losses import leaps
from analyzer.diagnosis.lost import absent_member, absent_peers, lost_peers, never_seen
from analyzer.diagnosis.odd_members import late_member, odd_members
from analyzer.diagnosis.scene import Scene
from analyzer.diagnosis.stacks import odd_stacks
from analyzer.diagnosis.stated import exits, settings, versions
from analyzer.diagnosis.stragglers import stragglers
from analyzer.model import Event


def observe(scene: Scene) -> list[Event]:
    """All derived events."""
    return [event for watch in _WATCHES for event in watch(scene)]


_WATCHES = (
    lost_peers,
    duplicates,
    clusters,
    never_seen,
    absent_peers,
    odd_members,
    late_member,
    versions,
    settings,
    exits,
    wrong_addresses,
    same_address,
    absent_member,
    local_servers,
    lone_members,
    repeated_addresses,
    foreign_addresses,
    stragglers,
    leaps,
    odd_stacks,
)
