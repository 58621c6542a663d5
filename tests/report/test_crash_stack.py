"""The stack of the crash card: recursion once, long names folded, own frames marked."""

from __future__ import annotations

from analyzer.report.crash_stack import stack_rows
from analyzer.report.document import WrittenFrame


def make_frames(names: str) -> list[WrittenFrame]:
    return [WrittenFrame(function=name, module="/home/me/op.so", own=name == "o" or False) for name in names]


def test_a_recursion_is_one_round_with_its_number() -> None:
    rows = stack_rows(make_frames("xaaaao"))
    assert [(row.number, row.name, row.after) for row in rows] == [
        (0, "x", ""),
        (1, "a", "this frame 3 more times"),
        (5, "o", ""),
    ]
    assert [row.is_own for row in rows] == [False, False, True]


def test_a_long_name_is_shortened_and_kept() -> None:
    name = f"void ns::Op<{'std::vector<int>, ' * 20}int>::Compute(tensorflow::OpKernelContext*)"
    [row] = stack_rows([WrittenFrame(function=name)])
    assert row.name == "ns::Op::Compute"
    assert row.full_name == name
    [row] = stack_rows([WrittenFrame(function=None, module="/a.so", module_offset="0x10")])
    assert (row.name, row.full_name) == (None, None)
