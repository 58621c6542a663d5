"""Frames as the contract of incident.json shows them: addresses as text, names, lines, Python among native ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from analyzer.cores.demangle import demangle
from analyzer.cores.lines import find_places
from analyzer.cores.linetable import Place
from analyzer.cores.loaded import Module
from analyzer.cores.symbols import resolve
from analyzer.cores.unwind import Frame, Stack
from analyzer.cores.words import How, Json


def name_frames(stacks: Iterable[Stack], sysroots: Sequence[Path]) -> dict[tuple[int, int], tuple[str, int]]:
    """{(id of the module, address in it): (mangled name, offset)} of all frames, one pass over each symbol table."""
    wanted: dict[int, set[int]] = {}
    modules: dict[int, Module] = {}
    for stack in stacks:
        for frame in stack.frames:
            module = frame.module
            if module is not None and module.image is not None and module.bias is not None:
                modules[id(module)] = module
                wanted.setdefault(id(module), set()).add(frame.lookup - module.bias)
    names: dict[tuple[int, int], tuple[str, int]] = {}
    for key, addresses in wanted.items():
        image = modules[key].image
        if image is not None:
            names |= {(key, address): name for address, name in resolve(image, addresses, sysroots).items()}
    return names


def show_native(frame: Frame, names: Mapping[tuple[int, int], tuple[str, int]]) -> Json:
    """One physical frame. `offset` counts from the function to the address, in bytes."""
    module = frame.module
    shown = blank_frame("native", frame.how)
    shown["address"] = f"{frame.pc:#x}"
    if module is None:
        return shown
    base = module.bias if module.bias is not None else module.start
    shown |= {"module": module.path, "build_id": module.build_id, "module_offset": f"{frame.pc - module.start:#x}"}
    name = names.get((id(module), frame.lookup - base))
    if name is not None:
        shown |= {"function": demangle(name[0]), "offset": name[1] + frame.pc - frame.lookup}
        if name[0].startswith(("_Z", "_R")):
            shown["mangled"] = name[0]
    return shown


def find_lines(stack: Stack, sysroots: Sequence[Path]) -> dict[tuple[int, int], list[Place]]:
    """{(id of the module, address in it): places} of one stack's frames, where there is debug information."""
    wanted: dict[int, tuple[Module, set[int]]] = {}
    for frame in stack.frames:
        if frame.module is not None and frame.module.image is not None and frame.module.bias is not None:
            wanted.setdefault(id(frame.module), (frame.module, set()))[1].add(frame.lookup - frame.module.bias)
    found: dict[tuple[int, int], list[Place]] = {}
    for key, (module, addresses) in wanted.items():
        if module.image is not None:
            places = find_places(module.image, addresses, sysroots, module.path)
            found |= {(key, address): place for address, place in places.items()}
    return found


def add_lines(frame: Frame, shown: Json, places: Mapping[tuple[int, int], list[Place]]) -> list[Json]:
    """The inlined functions inside a physical frame, then the frame itself, with their lines."""
    bias = frame.module.bias if frame.module is not None and frame.module.bias is not None else 0
    here = places.get((id(frame.module), frame.lookup - bias), [])
    inlined = [
        shown | {"function": demangle(p.function), "offset": None, "file": p.file, "line": p.line, "inlined": True}
        for p in here
        if p.function is not None
    ]
    for place in here[-1:]:
        shown |= {"file": place.file, "line": place.line}
    return [*inlined, shown]


def blank_frame(kind: str, how: How) -> Json:
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
