"""Names of addresses: every size of function, and the same answers as a walk over all symbols."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from crashing import compile_program
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cores.demangle import demangle
from analyzer.cores.elf.images import open_image
from analyzer.cores.elf.symbol_table import read_symbol_table
from analyzer.cores.elf.symbols import find_symbol_address, resolve_functions, search_table


@pytest.mark.parametrize("strip", [(), ("-s",)])
def test_an_address_far_inside_a_function_has_its_name(tmp_path: Path, strip: tuple[str, ...]) -> None:
    image = open_image(compile_program("sizes.s", tmp_path / "sizes.so", "-shared", "-nostdlib", *strip))
    assert image is not None and (".symtab" in image.sections) is (not strip)
    starts = {name: find_symbol_address(image, name) or 0 for name in ("small", "large", "huge", "alias", "bare")}
    inside = {
        "small": (0, 63),
        "large": (0, 4095, 4096, 69999),
        "huge": (0, 70000, 2999999),
        "alias": (1,),
        "bare": (9,),
    }
    for name, offsets in inside.items():
        for offset in offsets:
            address = starts[name] + offset
            assert resolve_functions(image, [address]) == {address: (name, offset)}
    everything = {starts[name] + offset: (name, offset) for name, offsets in inside.items() for offset in offsets}
    assert resolve_functions(image, everything) == everything
    assert resolve_functions(image, [starts["small"] - 1, starts["bare"] + 5000]) == {}


def test_names_are_those_of_a_walk_over_all_symbols() -> None:
    mapped = re.findall(r"\S*/libc\.so\.6", Path("/proc/self/maps").read_text())
    image = open_image(Path(mapped[0])) if mapped else None
    table = read_symbol_table(image, ".dynsym") if image else None
    if image is None or image.path is None or table is None:
        pytest.skip("this system has another C library")
    with image.path.open("rb") as stream:
        symbols = [s for s in ELFFile(stream).get_section_by_name(".dynsym").iter_symbols() if s["st_size"]]
    code = [s for s in symbols if s["st_info"]["type"] in ("STT_FUNC", "STT_LOOS") and s["st_shndx"] != "SHN_UNDEF"]
    chance = random.Random(5)
    for symbol in chance.sample(code, 300):
        address = symbol["st_value"] + chance.randrange(symbol["st_size"])
        around = [s for s in code if s["st_value"] <= address < s["st_value"] + s["st_size"]]
        least = min(s["st_size"] for s in around)
        possible = {(s.name.split("@")[0], address - s["st_value"]) for s in around if s["st_size"] == least}
        assert search_table(table, [address])[address] in possible


RUST = {
    "_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix14abort_internal": "std::sys::pal::unix::abort_internal",
    "_RINvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace26___rust_end_short_backtraceNCNvNtB6_9panicking13panic_handler0zEB6_": (
        "std::sys::backtrace::__rust_end_short_backtrace"
    ),
    "_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B7_": (
        "std::rt::lang_start_internal::{closure}::{closure}::{closure}"
    ),
    "_RNvXs_CsAA_4mineINtB4_3BoxDNtB4_5ErrorEL_ENtB4_4Drop4drop": "<mine::Box as mine::Drop>::drop",
    "_ZN5panic4pick17h4da72011168d1827E": "panic::pick",
    "_ZN4core3ops8function6FnOnce9call_once17h6ac24148d0a334b7E.llvm.123": "core::ops::function::FnOnce::call_once",
    "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h147f73aa2703ef75E": "std::rt::lang_start::{{closure}}",
    "_ZN75_$LT$usize$u20$as$u20$core..slice..index..SliceIndex$LT$$u5b$T$u5d$$GT$$GT$5index17h651409c2a7f1c3b4E": (
        "<usize as core::slice::index::SliceIndex<[T]>>::index"
    ),
    "_RNvB2_4self": None,  # it refers to itself
    "_RNvC3std": None,
    "_RNvC99std4name": None,
    "_Record": None,
}


@pytest.mark.parametrize(("name", "words"), RUST.items())
def test_a_name_of_rust_is_told_in_words(name: str, words: str | None) -> None:
    assert demangle(name) == (words or name)


def test_a_name_that_doubles_itself_ends() -> None:
    """Each pair refers twice to the pair before it."""
    name, last = "IC1aTuuE", 4
    for _ in range(40):
        here = len(name)
        name += f"TB{base62(last)}B{base62(last)}E"
        last = here
    assert demangle(f"_R{name}E") == f"_R{name}E"


def base62(number: int) -> str:
    digits, quotient = "", number - 1
    while quotient or not digits:
        digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[quotient % 62] + digits
        quotient //= 62
    return digits + "_"


@given(st.text(alphabet="NCvRMXYIBTEsALKpGFUD_0123456789abch", max_size=60))
def test_any_name_of_rust_ends(text: str) -> None:
    assert isinstance(demangle("_RN" + text), str)
