"""A recorder states the host on which it runs, whatever its file is called."""

from __future__ import annotations

import pytest

from analyzer.facts.claims import resolve_names
from analyzer.facts.name_claims import claim_names
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind


def names_of(*identities: StreamIdentity) -> dict[str, str]:
    claims = claim_names({(identity.file, ""): identity for identity in identities}, frozenset())
    return {file: name for (file, _), name in resolve_names(claims).names.items()}


def recorded(file: str, label: str, host: str) -> StreamIdentity:
    return StreamIdentity(file, "", Kind.SAMPLES, label=label, hosts=frozenset({host}))


@pytest.mark.parametrize(
    ("host", "name"), [("gpu7", "gpu7"), ("3f9a0c12de45", "f"), ("localhost", "f"), ("10.0.0.7", "f")]
)
def test_all_files_of_the_label_are_of_the_recorders_host(host: str, name: str) -> None:
    output = StreamIdentity("f.output.jsonl", "", Kind.WORKER, label="f", hosts=frozenset({"in-container"}))
    assert names_of(recorded("f.jsonl", "f", host), output) == {"f.jsonl": name, "f.output.jsonl": name}


def test_tasks_recorded_on_one_machine_keep_the_names_of_their_files() -> None:
    assert names_of(recorded("a.jsonl", "a", "gpu7"), recorded("b.jsonl", "b", "gpu7")) == {
        "a.jsonl": "a",
        "b.jsonl": "b",
    }
