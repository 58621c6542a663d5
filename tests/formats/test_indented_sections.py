"""Outputs of several machines that are indented under their names; YAML looks the same and is left alone."""

from __future__ import annotations

from analyzer.formats import read_line
from analyzer.formats.unwrap import choose_unwrapper, unwrap_head

LINES = [f"2026-11-24 10:33:1{second},000 INFO step {second} loss 0.5" for second in range(5)]


def indent(name: str, lines: list[str]) -> str:
    return f"{name}:\n" + "".join(f"    {line}\n" for line in lines)


def test_each_indented_line_is_of_the_machine_above_it() -> None:
    text = "# salt 'elm*' cmd.run 'cat fit.log'\n" + indent("elm4", LINES) + indent("oak9", [*LINES, "  two blanks"])
    _, plain = unwrap_head(text.encode())
    lines = [read_line(line.decode()) for line in plain.split(b"\n")]
    assert [line.host for line in lines[2:7]] == ["elm4"] * 5
    assert [line.host for line in lines[8:14]] == ["oak9"] * 6
    assert lines[2].stamps and lines[13].message == "  two blanks"


def test_yaml_and_logs_with_other_lines_are_left_alone() -> None:
    manifest = indent("metadata", ["name: elm4", "labels:", "    app: fit"]) + indent("spec", ["replicas: 3"])
    log = indent("elm4", LINES) + "".join(f"{line}\n" for line in LINES)
    assert choose_unwrapper(manifest.encode()) is None
    assert choose_unwrapper(log.encode()) is None
