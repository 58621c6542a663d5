"""An archive that ends early: the silence of a node proves nothing if its log goes on in what is missing."""

import gzip
import io
import tarfile
from pathlib import Path

from fixture_incidents import bundle_of

from analyzer.incident import Incident
from analyzer.pipeline import analyze
from analyzer.report.decode import decode_incident
from analyzer.report.endings import list_endings
from analyzer.report.json import to_json

LOG_OF_KILLED = "ip-10-0-1-12/worker.log"
UNREAD = "not read to its end"


def _cut(folder: Path, behind: str, share: float) -> Incident:
    """The answer on an archive that ends within the first file whose path ends with `behind`, after so much of it."""
    data = gzip.decompress(bundle_of("killed-worker").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        member = next(member for member in archive if member.name.endswith(behind))
    path = folder / f"part-{share}.tar"
    path.write_bytes(data[: member.offset_data + int(share * member.size)])
    return analyze([path])


def _probability(incident: Incident, cause: str) -> float:
    return max((root.confidence for root in incident.root_causes if root.finding.cause == cause), default=0.0)


def test_a_log_that_the_archive_cuts_is_not_silent(tmp_path: Path) -> None:
    incident = _cut(tmp_path, LOG_OF_KILLED, 0.8)
    (node,) = (node for node in incident.nodes if node.name == "ip-10-0-1-12")
    assert node.silent_since is None
    assert all(fact.silent_since is None for fact in incident.hard_facts if fact.node == node.name)
    assert _probability(incident, "sync.hang") < 0.5
    hang = next(root for root in incident.root_causes if root.finding.cause == "sync.hang")
    assert any(UNREAD in reason for reason in hang.against)


def test_a_node_whose_files_may_be_in_the_rest_is_not_missing(tmp_path: Path) -> None:
    incident = _cut(tmp_path, LOG_OF_KILLED, 0.8)
    absent = next(root for root in incident.root_causes if root.finding.node == "ip-10-0-1-13")
    assert any(UNREAD in reason for reason in absent.against)


def test_a_log_that_was_read_to_its_end_is_silent(tmp_path: Path) -> None:
    incident = analyze([bundle_of("stopped-worker")])
    assert any(node.silent_since for node in incident.nodes)
    assert not any(UNREAD in reason for root in incident.root_causes for reason in root.against)


def test_the_report_says_that_the_log_goes_on(tmp_path: Path) -> None:
    incident = _cut(tmp_path, LOG_OF_KILLED, 0.8)
    hang = next(root for root in incident.root_causes if root.finding.cause == "sync.hang")
    assert hang.status == "hypothesis"
    endings = list_endings(decode_incident(to_json(incident))[0])
    assert {row.names: row.ended for row in endings.rows}["ip-10-0-1-12",] == "log not read to its end"
