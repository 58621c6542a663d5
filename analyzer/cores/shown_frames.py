"""Frames as the contract of incident.json shows them: addresses as text, names, lines, Python among native ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from analyzer.cores.core_dump import Json, UnwindMethod
from analyzer.cores.demangle import demangle
from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.dwarf.source_lines import find_locations
from analyzer.cores.dwarf.unwind import NativeFrame, NativeStack
from analyzer.cores.elf.modules import LoadedModule
from analyzer.cores.elf.symbols import resolve_functions


def name_frames(stacks: Iterable[NativeStack], sysroots: Sequence[Path]) -> dict[tuple[int, int], tuple[str, int]]:
    """{(id of the module, address in it): (mangled name, offset)} of all frames, one pass over each symbol table."""
    wanted: dict[int, set[int]] = {}
    modules: dict[int, LoadedModule] = {}
    for stack in stacks:
        for frame in stack.frames:
            module = frame.module
            if module is not None and module.image is not None and module.bias is not None:
                modules[id(module)] = module
                wanted.setdefault(id(module), set()).add(frame.lookup_address - module.bias)
    names: dict[tuple[int, int], tuple[str, int]] = {}
    for key, addresses in wanted.items():
        image = modules[key].image
        if image is not None:
            names |= {(key, address): name for address, name in resolve_functions(image, addresses, sysroots).items()}
    return names


def make_native_frame(frame: NativeFrame, names: Mapping[tuple[int, int], tuple[str, int]]) -> Json:
    """One physical frame. `offset` counts from the function to the address, in bytes."""
    module = frame.module
    shown = make_blank_frame("native", frame.method)
    shown["address"] = f"{frame.pc:#x}"
    if module is None:
        return shown
    base = module.bias if module.bias is not None else module.start
    shown |= {"module": module.path, "build_id": module.build_id, "module_offset": f"{frame.pc - module.start:#x}"}
    name = names.get((id(module), frame.lookup_address - base))
    if name is not None:
        shown |= {"function": demangle(name[0]), "offset": name[1] + frame.pc - frame.lookup_address}
        if name[0].startswith(("_Z", "_R")):
            shown["mangled"] = name[0]
    return shown


def find_frame_locations(stack: NativeStack, sysroots: Sequence[Path]) -> dict[tuple[int, int], list[SourceLocation]]:
    """{(id of the module, address in it): places} of one stack's frames, where there is debug information."""
    wanted: dict[int, tuple[LoadedModule, set[int]]] = {}
    for frame in stack.frames:
        if frame.module is not None and frame.module.image is not None and frame.module.bias is not None:
            wanted.setdefault(id(frame.module), (frame.module, set()))[1].add(frame.lookup_address - frame.module.bias)
    locations: dict[tuple[int, int], list[SourceLocation]] = {}
    for key, (module, addresses) in wanted.items():
        if module.image is not None:
            locations_in_module = find_locations(module.image, addresses, sysroots, module.path)
            locations |= {(key, address): place for address, place in locations_in_module.items()}
    return locations


def add_locations(
    frame: NativeFrame, shown: Json, locations: Mapping[tuple[int, int], list[SourceLocation]]
) -> list[Json]:
    """The inlined functions inside a physical frame, then the frame itself, with their lines."""
    bias = frame.module.bias if frame.module is not None and frame.module.bias is not None else 0
    locations_here = locations.get((id(frame.module), frame.lookup_address - bias), [])
    inlined = [
        shown | {"function": demangle(p.function), "offset": None, "file": p.file, "line": p.line, "inlined": True}
        for p in locations_here
        if p.function is not None
    ]
    for place in locations_here[-1:]:
        shown |= {"file": place.file, "line": place.line}
    return [*inlined, shown]


def make_blank_frame(kind: str, how: UnwindMethod) -> Json:
    return {
        "address": None,
        "module": None,
        "build_id": None,
        "module_offset": None,
        "function": None,
        "offset": None,
        "file": None,
        "line": None,
        "inlined": False,
        "kind": kind,
        "how": how,
    }
