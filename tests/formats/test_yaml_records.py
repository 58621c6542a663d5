"""Log records as YAML documents become plain lines of their writers; other documents stay as they are."""

from __future__ import annotations

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head

RECORD = """---
insertId: {at}
resource:
  labels:
    container_name: tf
    pod_name: bert-worker-{pod}
severity: ERROR
textPayload: "step {at}: {text}"
timestamp: '2026-11-24T02:33:{at}.479310000Z'
"""


def unwrap(text: str) -> list[str]:
    lines = unwrap_head(text.encode())[1].decode().split("\n")
    assert len(lines) == text.count("\n") + 1
    return lines


def test_a_record_is_a_line_of_its_pod_where_it_begins() -> None:
    text = "".join(RECORD.format(at=at, pod=at % 2, text="loss 0.5") for at in range(10, 20))
    lines = unwrap(text)
    first = read_line(lines[0])
    assert (first.host, first.message) == ("bert-worker-0", "step 10: loss 0.5")
    assert [bool(line) for line in lines[:11]] == [True, *[False] * 8, True, False]


def test_the_newest_record_may_come_first() -> None:
    text = "".join(RECORD.format(at=at, pod=0, text="loss 0.5") for at in range(40, 10, -1))
    steps = [line.message for line in map(read_line, filter(None, unwrap(text)))]
    assert steps == [f"step {at}: loss 0.5" for at in range(11, 41)]


def test_manifests_and_broken_documents_are_passed_on() -> None:
    manifest = "---\nkind: Job\nmetadata:\n  name: bert\n" * 4
    assert "\n".join(unwrap(manifest)) == manifest
    broken = "".join(RECORD.format(at=at, pod=0, text="a") for at in range(10, 14)) + "---\nmessage: [\ntimestamp: x\n"
    assert unwrap(broken)[-4:-1] == ["---", "message: [", "timestamp: x"]
