"""A host without files is the task that the numbers of its fellows give it."""

from __future__ import annotations

import pytest

from analyzer.facts.host_series import learn_host_series, task_in_series

MEMBERS = [("gx-4", "worker:0"), ("gx-5.example.org", "worker:1")]


@pytest.mark.parametrize(
    ("members", "host", "task"),
    [
        (MEMBERS, "gx-6", "worker:2"),
        (MEMBERS, "GX-6.example.org", "worker:2"),
        (MEMBERS, "gx-3", None),
        ([("gx-a", "worker:0"), ("gx-b", "worker:1")], "gx-d", "worker:3"),
        ([("gx-a", "worker:0"), ("gx-c", "worker:1")], "gx-d", None),
        ([("gxa", "worker:0"), ("gxb", "worker:1")], "gxd", None),
        (MEMBERS, "gy-6", None),
        (MEMBERS, "gx", None),
        (MEMBERS[:1], "gx-6", None),
        ([*MEMBERS, ("gx-6", "worker:7")], "gx-8", None),
        ([*MEMBERS, ("gx-6", "ps:0")], "gx-7", None),
        ([*MEMBERS, ("gy-1", "ps:0")], "gx-7", "worker:3"),
    ],
)
def test_series(members: list[tuple[str, str]], host: str, task: str | None) -> None:
    assert task_in_series(host, learn_host_series(members)) == task
