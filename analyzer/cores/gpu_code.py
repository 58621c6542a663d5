"""Look up addresses of GPU code: functions, inlined functions and source lines in the cubins of a GPU core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from analyzer.core_dump import GpuFrame
from analyzer.cores.demangle import demangle
from analyzer.cores.dwarf.gpu_lines import find_gpu_locations
from analyzer.cores.dwarf.line_program import SourceLocation
from analyzer.cores.elf.images import ElfImage, parse_image
from analyzer.cores.elf.symbols import resolve_functions
from analyzer.cores.gpu_tables import CUBIN, GpuTables

MAX_CUBIN_BYTES = 1 << 30


@dataclass(slots=True)
class GpuCode:
    """The symbols and locations of the addresses that were looked up."""

    symbols: dict[int, str] = field(default_factory=dict)
    locations: dict[int, list[SourceLocation]] = field(default_factory=dict)

    def kernel(self, address: int) -> str | None:
        """Return the kernel whose code has the address. A function that is not inlined is named `$KERNEL$FUNCTION`."""
        symbol = self.symbols.get(address)
        parts = symbol.split("$") if symbol else []
        return demangle(parts[1] if len(parts) == 3 and parts[1].startswith("_Z") else parts[-1]) if parts else None

    def function(self, address: int) -> str | None:
        symbol = self.symbols.get(address)
        return demangle(symbol.rpartition("$")[2]) if symbol else None

    def frames(self, addresses: Sequence[int], is_call: bool = False) -> Iterator[GpuFrame]:
        """Yield the frames of a stack, innermost first.

        All addresses except the first are return addresses; with `is_call`, the first is one too.
        """
        for depth, address in enumerate(addresses):
            looked_up = address - 1 if depth or is_call else address
            function = self.function(looked_up)
            for place in self.locations.get(looked_up, ()):
                yield GpuFrame(
                    address=f"{address:#x}",
                    function=demangle(place.function) if place.function else function,
                    file=place.file,
                    line=place.line,
                    inlined=place.function is not None,
                )
            if looked_up not in self.locations:
                yield GpuFrame(address=f"{address:#x}", function=function)


def look_up_code(tables: GpuTables, addresses: Iterable[int]) -> GpuCode:
    """Look addresses up in the loaded cubins, which the core holds as ELF images at their addresses."""
    code = GpuCode()
    wanted = set(addresses)
    for index in tables.sections_of_type(CUBIN):
        body = tables.section_content(index)
        image = parse_image(bytes(body)) if 0 < len(body) <= MAX_CUBIN_BYTES and wanted else None
        if image is None:
            continue
        functions = resolve_functions(image, _addresses_of_loaded(image, wanted))
        code.symbols |= {address: name for address, (name, _) in functions.items()}
        if functions and ".debug_line" in image.sections:
            code.locations |= find_gpu_locations(image, functions)
        wanted -= functions.keys()
    return code


def _addresses_of_loaded(image: ElfImage, addresses: Iterable[int]) -> set[int]:
    """Return the addresses in functions that the driver had loaded when it wrote the core; others start at 0."""
    loaded = [section for name, section in image.sections.items() if section.addr and name.startswith(".text")]
    return {a for a in addresses if any(section.addr <= a < section.addr + section.size for section in loaded)}
