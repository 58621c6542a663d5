"""Names and messages as signatures show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.core_dump import CoreFrame, FrameKind
from analyzer.cores.function_names import normalize_function
from analyzer.cores.lead_frames import choose_python_frame
from analyzer.cores.signature import make_signatures, mask_message

NAMES = {
    "__memcpy_avx_unaligned_erms": "memcpy",
    "__memmove_evex_unaligned_erms": "memmove",
    "__strlen_avx2": "strlen",
    "__memcpy_ssse3_back": "memcpy",
    "__GI_raise": "raise",
    "read_node.part.0": "read_node",
    "walk.constprop.0.isra.0": "walk",
    "__assert_fail_base.cold": "__assert_fail_base",
    "void shapes::check<int>(int)": "shapes::check",
    "std::vector<int, std::allocator<int> >::operator[](unsigned long)": "std::vector::operator[]",
    "std::ostream& operator<< <char>(std::ostream&, char const*)": "operator<<",
    "absl::lts_20250814::log_internal::LogMessage::Flush()": "absl::log_internal::LogMessage::Flush",
    "std::__cxx11::basic_string<char>::assign(char const*)": "std::basic_string::assign",
    "tensorflow::(anonymous namespace)::ExecutorState<tensorflow::SimplePropagatorState>::Process(long)": "tensorflow::{anonymous}::ExecutorState::Process",  # noqa: E501
    "tensorflow::Tensor::shape() const": "tensorflow::Tensor::shape",
    "pthread_mutex_lock": "pthread_mutex_lock",
    "shards::check::h9a0bda32fb6796c8": "shards::check",
    "<core::fmt::builders::PadAdapter as core::fmt::Write>::write_str": "core::fmt::builders::PadAdapter::write_str",
    "<shards::Index<T> as core::slice::index::SliceIndex<[T]>>::index": "shards::Index::index",
    "<&mut shards::Row as core::fmt::Debug>::fmt": "shards::Row::fmt",
}


@pytest.mark.parametrize(("name", "short"), NAMES.items())
def test_a_name_is_shortened(name: str, short: str) -> None:
    assert normalize_function(name) == short


@given(st.text(max_size=60))
def test_any_name_and_message_is_survived(text: str) -> None:
    normalize_function(text)
    mask_message(text)


def test_what_differs_from_run_to_run_is_masked() -> None:
    first = mask_message("tensor.cc:41] Check failed: 5 == 6 at 0x7f00aa in /home/me/run-3/data.bin")
    second = mask_message("tensor.cc:99] Check failed: 7 == 8 at 0x7fffbb in /home/you/x/data.bin")
    assert first == second
    assert "data.bin" in first
    assert "Check failed" in first


def frame(function: str | None, kind: FrameKind = "native", file: str | None = None) -> CoreFrame:
    return CoreFrame(
        function=function, kind=kind, module="/lib/libx.so", build_id="ab" * 20, module_offset="0x10", file=file
    )


def test_machinery_is_left_out_and_levels_lose_detail() -> None:
    frames = [
        frame("raise"),
        frame("abort"),
        frame("absl::lts_20250814::log_internal::LogMessage::Flush()"),
        frame("tensorflow::TensorShapeBase<tensorflow::TensorShape>::AddDim(long)"),
        frame("grow", "python", file="/job/train.py"),
        frame("_PyEval_EvalFrameDefault"),
        frame("run", "python", file="/usr/lib/python3.11/threading.py"),
        frame("start_thread"),
        frame("clone3"),
    ]
    levels = make_signatures("SIGABRT", "SI_TKILL", frames, "shape.cc:4] Check failed: size >= 0 (-5 vs. 0)")
    words = "SIGABRT | shape.cc:#] Check failed: size >= # (-# vs. #)"
    assert levels == {
        "exact": f"{words} | tensorflow::TensorShapeBase::AddDim | train.py:grow",
        "native": f"{words} | tensorflow::TensorShapeBase::AddDim",
        "python": f"{words} | train.py:grow",
        "coarse": words,
    }


def test_a_name_that_is_unknown_becomes_a_place_in_a_build() -> None:
    levels = make_signatures("SIGSEGV", "SEGV_MAPERR", [frame(None)], None)
    assert levels["native"] == "SIGSEGV | libx.so@abababab+0x10"
    assert make_signatures("SIGBUS", "BUS_ADRERR", [], None)["exact"] == "SIGBUS BUS_ADRERR"


def test_of_python_the_innermost_frame_of_ones_own_tells() -> None:
    library = CoreFrame(kind="python", function="string_at", file="/usr/lib/python3.11/ctypes/__init__.py")
    own = CoreFrame(kind="python", function="read_label", file="/job/graph.py")
    assert choose_python_frame([CoreFrame(kind="native", function="strlen"), library, own]) is own
    assert choose_python_frame([library]) is library
    assert not choose_python_frame([])


def test_a_recursion_is_one_frame_and_machinery_below_a_telling_frame_tells() -> None:
    frames = [frame("walk"), frame("walk"), frame("raise"), frame("walk"), frame("load")]
    assert make_signatures("SIGSEGV", None, frames, None)["native"] == "SIGSEGV | walk | raise | load"
